import { isPipName, normalizePip } from "./package-name.ts";

/** Well-known names, verified by hand: `module=distribution`, with alternative distributions after commas. */
const ALIASES = `
AppKit=pyobjc-framework-Cocoa Bio=biopython CoreFoundation=pyobjc-framework-Cocoa Crypto=pycryptodome,pycrypto
Cryptodome=pycryptodomex Cython=Cython Foundation=pyobjc-framework-Cocoa IPython=ipython Levenshtein=Levenshtein,python-Levenshtein
MySQLdb=mysqlclient OpenGL=PyOpenGL OpenSSL=pyOpenSSL PIL=Pillow,Pillow-SIMD PyInstaller=pyinstaller
PyPDF2=PyPDF2 PyQt5=PyQt5 PyQt6=PyQt6 PySide2=PySide2 PySide6=PySide6 Quartz=pyobjc-framework-Quartz SPARQLWrapper=SPARQLWrapper
ScriptingBridge=pyobjc-framework-ScriptingBridge Vision=pyobjc-framework-Vision EventKit=pyobjc-framework-EventKit
Xlib=python-xlib _cffi_backend=cffi _pytest=pytest _yaml=PyYAML absl=absl-py aiohttp_retry=aiohttp-retry
airflow=apache-airflow alpaca=alpaca-py apiclient=google-api-python-client apsw=apsw apscheduler=APScheduler arxiv=arxiv
assemblyai=assemblyai async_timeout=async-timeout attr=attrs attrs=attrs atlassian=atlassian-python-api auth0=auth0-python
autogen=pyautogen,autogen babel=Babel barcode=python-barcode bcc=bcc apache_beam=apache-beam binance=python-binance
bitcoin=python-bitcoinlib blake3=blake3 bluetooth=PyBluez bottle=bottle braintree=braintree bs4=beautifulsoup4,bs4
bson=pymongo can=python-can cairo=pycairo cairosvg=CairoSVG capstone=capstone certbot=certbot chess=chess,python-chess
chromadb=chromadb clickhouse_driver=clickhouse-driver clr=pythonnet cloudflare=cloudflare cmarkgfm=cmarkgfm cn2an=cn2an
coinbase=coinbase-advanced-py,coinbase community=python-louvain consul=python-consul constraint=python-constraint
crispy_forms=django-crispy-forms cv2=opencv-python,opencv-python-headless,opencv-contrib-python,opencv-contrib-python-headless
cvxpy=cvxpy dash=dash databricks=databricks-sdk databricks.sql=databricks-sql-connector datadog_api_client=datadog-api-client
dateutil=python-dateutil dbus=dbus-python decouple=python-decouple deep_translator=deep-translator demjson=demjson demjson3=demjson3
discord=discord.py,py-cord discogs_client=python3-discogs-client django=Django django_filters=django-filter
dns=dnspython docker=docker docopt=docopt docx=python-docx docx2pdf=docx2pdf docxcompose=docxcompose docxtpl=docxtpl
dotenv=python-dotenv dotmap=dotmap duckduckgo_search=duckduckgo-search edge_tts=edge-tts editor=python-editor
ee=earthengine-api elasticsearch_dsl=elasticsearch-dsl elftools=pyelftools email_validator=email-validator
engineio=python-engineio escpos=python-escpos exa_py=exa-py exifread=ExifRead facebook_business=facebook-business
faiss=faiss-cpu,faiss-gpu fake_useragent=fake-useragent falkordb=FalkorDB fastapi=fastapi fbx=fbx ffmpeg=ffmpeg-python
fal_client=fal-client fireworks=fireworks-ai firebase_admin=firebase-admin firecrawl=firecrawl-py fitz=PyMuPDF flask=Flask
flask_cors=Flask-Cors flask_login=Flask-Login flask_migrate=Flask-Migrate flask_restful=Flask-RESTful
flask_sqlalchemy=Flask-SQLAlchemy flask_wtf=Flask-WTF fontTools=fonttools frontmatter=python-frontmatter
fuzzywuzzy=fuzzywuzzy gdown=gdown genanki=genanki geopy=geopy gi=PyGObject git=GitPython github=PyGithub gitlab=python-gitlab
glfw=glfw gnupg=python-gnupg google.ads=google-ads google.adk=google-adk google.ai.generativelanguage=google-ai-generativelanguage
google.analytics.admin=google-analytics-admin google.analytics.data=google-analytics-data
google.analytics.data_v1beta=google-analytics-data google.analytics.admin_v1beta=google-analytics-admin
google.api=googleapis-common-protos google.api_core=google-api-core google.auth=google-auth google.cloud.aiplatform=google-cloud-aiplatform
google.cloud.documentai=google-cloud-documentai google.cloud.secretmanager=google-cloud-secret-manager google.cloud.speech=google-cloud-speech
google.cloud.texttospeech=google-cloud-texttospeech google.cloud.bigquery_storage=google-cloud-bigquery-storage
google.cloud.pubsub_v1=google-cloud-pubsub google.cloud.translate_v2=google-cloud-translate google.cloud.monitoring_v3=google-cloud-monitoring
google.cloud.logging=google-cloud-logging google.cloud.compute_v1=google-cloud-compute google.cloud.firestore_v1=google-cloud-firestore
google.cloud.secretmanager_v1=google-cloud-secret-manager google.cloud.run_v2=google-cloud-run google.cloud.sql=cloud-sql-python-connector
google.colab=google-colab google.genai=google-genai google.generativeai=google-generativeai google.longrunning=googleapis-common-protos
google.oauth2=google-auth google.protobuf=protobuf google.resumable_media=google-resumable-media google.rpc=googleapis-common-protos
google.type=googleapis-common-protos googleapiclient=google-api-python-client googlemaps=googlemaps googlesearch=googlesearch-python
googletrans=googletrans grpc=grpcio grpc_status=grpcio-status grpc_tools=grpcio-tools gym=gym haystack=haystack-ai
hdbscan=hdbscan html2text=html2text html5lib=html5lib httplib2=httplib2 hydra=hydra-core icalendar=icalendar ics=ics
igraph=igraph,python-igraph imagehash=ImageHash imblearn=imbalanced-learn instagrapi=instagrapi intervaltree=intervaltree
iso8601=iso8601 isodate=isodate jenkins=python-jenkins jieba=jieba jinja2=Jinja2 jira=jira jnius=pyjnius jose=python-jose
jpype=JPype1 jsonpath_ng=jsonpath-ng jwt=PyJWT jwcrypto=jwcrypto kafka=kafka-python,kafka-python-ng keras=keras
kiteconnect=kiteconnect kubernetes=kubernetes ldap=python-ldap ldap3=ldap3 lib3mf=lib3mf libtorrent=libtorrent lief=lief
lightgbm=lightgbm lightning=lightning linebot=line-bot-sdk llama_cpp=llama-cpp-python logzero=logzero louvain=louvain
lz4=lz4 magic=python-magic,python-magic-bin mako=Mako markdown=Markdown markdown_it=markdown-it-py markupsafe=MarkupSafe
markdownify=markdownify mcp=mcp mem0=mem0ai memcache=python-memcached mistralai=mistralai mistune=mistune mmengine=mmengine
mongoengine=mongoengine monai=monai moviepy=moviepy mpd=python-mpd2 mpl_toolkits=matplotlib msal=msal mutagen=mutagen
mysql=mysql-connector-python nacl=PyNaCl nbformat=nbformat neo4j=neo4j netCDF4=netCDF4 newspaper=newspaper3k,newspaper4k
nmap=python-nmap notion_client=notion-client oauth2client=oauth2client odf=odfpy ollama=ollama onnxruntime=onnxruntime,onnxruntime-gpu
openbabel=openbabel opentelemetry=opentelemetry-api opentelemetry.exporter.otlp=opentelemetry-exporter-otlp
opentelemetry.sdk=opentelemetry-sdk opentelemetry.semconv=opentelemetry-semantic-conventions opensearchpy=opensearch-py
oss2=oss2 osgeo=GDAL OSMPythonTools=OSMPythonTools paddle=paddlepaddle paho=paho-mqtt paramiko=paramiko parse=parse
parsel=parsel past=future path=path patoolib=patool pathspec=pathspec pdf2image=pdf2image pdfminer=pdfminer.six,pdfminer
perplexity=perplexityai phonenumbers=phonenumbers pika=pika pinecone=pinecone,pinecone-client pkg_resources=setuptools
playwright=playwright plotly=plotly portalocker=portalocker pptx=python-pptx praw=praw progressbar=progressbar2,progressbar
psycopg2=psycopg2-binary,psycopg2 psycopg=psycopg,psycopg-binary pwn=pwntools pwnlib=pwntools pyVmomi=pyvmomi pyaudio=PyAudio pyasn1_modules=pyasn1-modules
pycocotools=pycocotools pydub=pydub pygments=Pygments pylab=matplotlib pymupdf=PyMuPDF pymupdf4llm=pymupdf4llm pynvml=nvidia-ml-py,pynvml
pypdfium2=pypdfium2 pypinyin=pypinyin pypdf=pypdf pysam=pysam pytesseract=pytesseract pytorch_lightning=pytorch-lightning
pytube=pytube pyttsx3=pyttsx3 pyximport=Cython pyzbar=pyzbar qdrant_client=qdrant-client qiskit_aer=qiskit-aer
qrcode=qrcode ratelimit=ratelimit rdkit=rdkit,rdkit-pypi readability=readability-lxml redis=redis replicate=replicate
requests_html=requests-html requests_oauthlib=requests-oauthlib rest_framework=djangorestframework rich=rich ruamel.yaml=ruamel.yaml
ruamel=ruamel.yaml s3transfer=s3transfer sacrebleu=sacrebleu scapy=scapy sentence_transformers=sentence-transformers sentry_sdk=sentry-sdk
serial=pyserial serpapi=google-search-results,serpapi setproctitle=setproctitle shapefile=pyshp shapely=shapely simple_salesforce=simple-salesforce
sha3=pysha3 skbio=scikit-bio skimage=scikit-image sklearn=scikit-learn skopt=scikit-optimize sksurv=scikit-survival slack=slackclient
slack_bolt=slack-bolt slack_sdk=slack-sdk slugify=python-slugify smbus=smbus-cffi smbus2=smbus2 snowflake=snowflake-connector-python
snowflake.snowpark=snowflake-snowpark-python socketio=python-socketio socks=PySocks sounddevice=sounddevice soundfile=soundfile
speech_recognition=SpeechRecognition spotipy=spotipy sqlalchemy=SQLAlchemy starlette=starlette stdnum=python-stdnum steam=steam
sunpy=sunpy swiftclient=python-swiftclient tabula=tabula-py tavily=tavily-python telebot=pyTelegramBotAPI telegram=python-telegram-bot
tensorboardX=tensorboardX tensorflow=tensorflow,tensorflow-cpu,tensorflow-gpu,tensorflow-macos thefuzz=thefuzz tlslite=tlslite-ng
todoist_api_python=todoist-api-python toml=toml torch=torch torch_geometric=torch-geometric tweepy=tweepy twilio=twilio
twitter=python-twitter typing_extensions=typing-extensions tzlocal=tzlocal umap=umap-learn unidiff=unidiff unstructured=unstructured usb=pyusb
usb1=libusb1 uvloop=uvloop vcr=vcrpy vertexai=google-cloud-aiplatform vlc=python-vlc vobject=vobject volcenginesdkarkruntime=volcengine-python-sdk
wand=Wand weaviate=weaviate-client webview=pywebview weasyprint=weasyprint websocket=websocket-client werkzeug=Werkzeug whisper=openai-whisper
win32com=pywin32 win32api=pywin32 win32clipboard=pywin32 pythoncom=pywin32 pywintypes=pywin32 win32con=pywin32 win32gui=pywin32 win32file=pywin32 win32event=pywin32
win32print=pywin32 win32process=pywin32 win32service=pywin32 win32serviceutil=pywin32 winrm=pywinrm wx=wxPython xdist=pytest-xdist
xlsxwriter=XlsxWriter xmlsec=xmlsec xgboost=xgboost yaml=PyYAML yara=yara-python yfinance=yfinance youtube_dl=youtube-dl
youtube_transcript_api=youtube-transcript-api yt_dlp=yt-dlp z3=z3-solver zmq=pyzmq zhipuai=zhipuai
jupyter_client=jupyter-client langchain_text_splitters=langchain-text-splitters llama_parse=llama-parse lxml_html_clean=lxml-html-clean
matplotlib_inline=matplotlib-inline nest_asyncio=nest-asyncio open_clip=open-clip-torch pandas_datareader=pandas-datareader
pandas_ta=pandas-ta prompt_toolkit=prompt-toolkit pydantic_settings=pydantic-settings pydantic_ai=pydantic-ai pyannote=pyannote.audio
pytest_asyncio=pytest-asyncio python_multipart=python-multipart multipart=python-multipart rank_bm25=rank-bm25 sqlite_vec=sqlite-vec
sentencepiece=sentencepiece tree_sitter=tree-sitter webdriver_manager=webdriver-manager undetected_chromedriver=undetected-chromedriver
zope.interface=zope.interface jaraco.functools=jaraco.functools backports.zoneinfo=backports.zoneinfo sphinx=Sphinx
fpdf=fpdf2,fpdf lark_oapi=lark-oapi alibabacloud_tea_openapi=alibabacloud-tea-openapi tencentcloud=tencentcloud-sdk-python
aspose.words=aspose-words aspose.cells=aspose-cells-python aspose.slides=aspose.slides aspose.pdf=aspose-pdf aspose=aspose-words baidubce=bce-python-sdk volcengine=volcengine dashscope=dashscope akshare=akshare tushare=tushare wordcloud=wordcloud
BioSQL=biopython OleFileIO_PL=olefile argon2=argon2-cffi automata=automata-lib blackd=black blib2to3=black cattr=cattrs cpuinfo=py-cpuinfo
erfa=pyerfa evtk=pyevtk flint=python-flint graphql=graphql-core ipykernel_launcher=ipykernel isympy=sympy key_value=py-key-value-aio
libfuturize=future libpasteurize=future mesonbuild=meson mesonpy=meson-python mypyc=mypy open_clip_train=open-clip-torch
orbax=orbax-checkpoint pasta=google-pasta proto=proto-plus pwiz=peewee pycrfsuite=python-crfsuite pypdfium2_raw=pypdfium2
pythonjsonlogger=python-json-logger rpds=rpds-py skfem=scikit-fem sockshandler=PySocks tlz=toolz upath=universal-pathlib
appium=Appium-Python-Client RPi=RPi.GPIO Stemmer=PyStemmer acoustid=pyacoustid ahocorasick=pyahocorasick
airtable=airtable-python-wrapper allauth=django-allauth arango=python-arango aws_cdk=aws-cdk-lib bayes_opt=bayesian-optimization
azureml.core=azureml-core box=python-box braket=amazon-braket-sdk capnp=pycapnp cassandra=cassandra-driver
corsheaders=django-cors-headers debug_toolbar=django-debug-toolbar digitalocean=python-digitalocean enchant=pyenchant
gridfs=pymongo hid=hidapi,hid ibm_boto3=ibm-cos-sdk libarchive=libarchive-c
libvirt=libvirt-python MeCab=mecab-python3 nasdaqdatalink=Nasdaq-Data-Link nats=nats-py nomad=python-nomad office365=Office365-REST-Python-Client
plaid=plaid-python playhouse=peewee ppadb=pure-python-adb pulsar=pulsar-client quickbooks=python-quickbooks rediscluster=redis-py-cluster
rest_framework_simplejwt=djangorestframework-simplejwt seleniumwire=selenium-wire servicemanager=pywin32 skfuzzy=scikit-fuzzy
sklearn_extra=scikit-learn-extra skmultilearn=scikit-multilearn skrf=scikit-rf snappy=python-snappy sp_api=python-amazon-sp-api
spellchecker=pyspellchecker stl=numpy-stl stomp=stomp.py storages=django-storages taglib=pytaglib tortoise=tortoise-orm
vtkmodules=vtk whois=python-whois win32evtlog=pywin32 win32timezone=pywin32 winerror=pywin32 zxingcpp=zxing-cpp
azure.durable_functions=azure-functions-durable airflow.providers=apache-airflow llama_index.core=llama-index-core
objc=pyobjc-core win32crypt=pywin32 win32security=pywin32 win32pipe=pywin32 win32job=pywin32 win32ui=pywin32 scvi=scvi-tools
openslide=openslide-python skia=skia-python freetype=freetype-py pythonosc=python-osc rtmidi=python-rtmidi talib=TA-Lib
edgar=edgartools polygon=polygon-api-client finnhub=finnhub-python newsapi=newsapi-python shopify=ShopifyAPI
hubspot=hubspot-api-client trello=py-trello msgraph=msgraph-sdk nio=matrix-nio mastodon=Mastodon.py camelot=camelot-py
marker=marker-pdf deepgram=deepgram-sdk kasa=python-kasa snap7=python-snap7 pywt=PyWavelets Evtx=python-evtx
`;

/** Well-known distributions that are imported by their own name. */
const PLAIN = `
aiofiles aiohttp alembic altair anthropic anyio argcomplete arrow astropy async_lru asyncpg backoff bcrypt black bleach blinker bokeh boto3
botocore cachetools celery certifi cffi chardet charset_normalizer click cohere colorama coloredlogs coverage croniter cryptography
cycler dask datasets deepdiff diffusers dill duckdb easyocr ebooklib einops elasticsearch evaluate exceptiongroup execnet faker fastmcp
feedparser filelock flake8 flax folium frozenlist fsspec ftfy future gensim geopandas gevent gradio greenlet groq gunicorn
h11 h5py hmmlearn holoviews httpcore httpx huggingface_hub humanize hypercorn hypothesis idna imageio inflect inquirer invoke ipywidgets
itsdangerous jax jedi jmespath joblib jsonschema jupyter kaleido kiwisolver langchain langchain_community langchain_core
langchain_openai langgraph librosa litellm llama_index loguru lxml matplotlib mlflow more_itertools motor mpmath msgpack multidict mypy
networkx nltk nox numba numexpr numpy oauthlib omegaconf openai openpyxl opik optuna orjson packaging pandas pandera papermill peewee
pdfplumber peft pendulum pexpect pip pipdeptree platformdirs pluggy polars prefect prettytable psutil pyarrow pyautogui
pycountry pydantic pygame pylint pymongo pymysql pyparsing pyperclip pyproj pytest pytz rapidfuzz rasterio ray regex reportlab requests responses
rich ruff scipy scrapy seaborn selenium semver sentinelhub setuptools shap simplejson simpy six smolagents sniffio sortedcontainers spacy sqlglot
sqlmodel stable_baselines3 statsmodels streamlit stripe structlog supabase svgwrite sympy tabulate tenacity tensorboard termcolor textblob
textual tiktoken tifffile timm together tokenizers tomli tomli_w tomlkit tornado tox tqdm trafilatura transformers trimesh trio trl typer
ujson unidecode urllib3 uvicorn validators vllm wandb watchdog watchfiles wcwidth webcolors websockets wheel wikipedia wrapt xarray xlrd xlwt
xmltodict yarl zstandard ddgs gtts imapclient langdetect markitdown midiutil pikepdf pyrogram telethon wechatpy wmi
anndata autogen_agentchat browser_use crewai datamol deepchem dspy elevenlabs gget instructor langchain_anthropic langfuse lancedb manim
modal molfeat nibabel pydeseq2 pydicom pymatgen pymilvus pymoo rembg scanpy ultralytics zarr
`;

/** Namespaces that many distributions share, with the second parts whose distributions have one more part. */
const FAMILIES: Readonly<Record<string, ReadonlySet<string>>> = Object.freeze(
  Object.assign(Object.create(null), {
    azure: new Set(
      (
        "ai cognitiveservices communication data developer digitaltwins health iot keyvault kusto maps messaging mgmt " +
        "mixedreality monitor purview search security storage synapse"
      ).split(" "),
    ),
    google: new Set(["cloud"]),
    opentelemetry: new Set(["instrumentation", "exporter", "propagator"]),
    backports: new Set<string>(),
    sphinxcontrib: new Set<string>(),
  }),
);

/**
 * The distributions that provide a module, the usual one first; empty when the name cannot be a distribution.
 */
export function distributionsOf(module: string): readonly string[] {
  const parts = module.split(".");
  for (let length = Math.min(parts.length, MAX_DEPTH); length > 1; length -= 1) {
    const known = DISTRIBUTIONS.get(parts.slice(0, length).join("."));
    if (known !== undefined) return known;
  }
  const [top = "", second] = parts;
  const known = DISTRIBUTIONS.get(top);
  const family = FAMILIES[top];
  if (family !== undefined && second !== undefined && (known === undefined || family.has(second)))
    return [familyName(parts, family)];
  return known ?? (isPipName(top) ? [top] : []);
}

/** The module name of a distribution: the best-known one, else the distribution's own name. */
export function moduleOf(distribution: string): string {
  const normal = normalizePip(distribution);
  const own = normal.replaceAll("-", "_");
  return POPULAR.has(own) ? own : (MODULES.get(normal) ?? own);
}

/** True when the module is known from a package index, so a local folder of that name is no proof. */
export function isWellKnown(module: string): boolean {
  return DISTRIBUTIONS.has(module) || POPULAR.has(module) || FAMILIES[module] !== undefined;
}

/** True for a known distribution whose module has another name. */
export function isKnownDistribution(name: string): boolean {
  return MODULES.has(normalizePip(name));
}

/** Possible module names of a distribution: `foo` for `python-foo`, for example. */
export function stemsOf(distribution: string): readonly string[] {
  const name = normalizePip(distribution);
  const stems = [/^python-(.+)$/, /^py-?(.+)$/, /^(.+)-(?:python|py)$/].map((form) => form.exec(name)?.[1]);
  return stems.filter((stem) => stem !== undefined);
}

/** The depth of the deepest known module. */
const MAX_DEPTH = 4;

const DISTRIBUTIONS: ReadonlyMap<string, readonly string[]> = new Map(
  ALIASES.trim()
    .split(/\s+/)
    .map((entry) => {
      const [module = "", names = ""] = entry.split("=");
      return [module, names.split(",")] as const;
    }),
);

const POPULAR: ReadonlySet<string> = new Set(PLAIN.trim().split(/\s+/));

/**
 * A distribution with several modules is represented by the module of its own name, else by the first in the
 * table.
 */
const MODULES: ReadonlyMap<string, string> = modulesByDistribution();

function modulesByDistribution(): ReadonlyMap<string, string> {
  const modules = new Map<string, string>();
  for (const [module, names] of DISTRIBUTIONS) {
    for (const name of names.map(normalizePip)) {
      const isOwn = normalizePip(module) === name;
      if (isOwn || (!modules.has(name) && !module.startsWith("_"))) modules.set(name, topOf(module));
    }
  }
  return modules;
}

function topOf(module: string): string {
  return module.split(".", 1)[0] ?? module;
}

/**
 * Names a distribution by the parts of its namespace: `azure.storage.blob` is azure-storage-blob, and
 * `google.cloud.vision_v1` is google-cloud-vision.
 */
function familyName(parts: readonly string[], family: ReadonlySet<string>): string {
  const [, second = ""] = parts;
  const length = family.has(second) ? 3 : 2;
  const name = parts
    .slice(0, length)
    .join("-")
    .replace(/_v\d+[a-z0-9]*$/, "");
  return name.replaceAll("_", "-");
}
