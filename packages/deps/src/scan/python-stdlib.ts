/** True for a standard library module of Python 3.9 to 3.14 or of Python 2. */
export function isStandardModule(name: string): boolean {
  return STANDARD.has(name) || PYTHON_2.has(name);
}

/** The reason why a standard library module may be missing; undefined when it always exists. */
export function removalOf(name: string): string | undefined {
  const version = REMOVED.get(name);
  if (version !== undefined) return `module ${name} was removed in Python ${version}`;
  return PYTHON_2.has(name) ? `module ${name} exists only in Python 2` : undefined;
}

/** `sys.stdlib_module_names` of Python 3.11, plus additions from 3.9, 3.10 and 3.12 to 3.14. */
const STANDARD = words(`
_abc abc aifc _aix_support _android_support annotationlib antigravity _apple_support argparse array _ast
ast _ast_unparse asynchat _asyncio asyncio asyncore atexit audioop base64 bdb binascii binhex _bisect
bisect _blake2 _bootlocale _bootsubprocess builtins _bz2 bz2 calendar cgi cgitb chunk cmath cmd code
_codecs codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw codeop _collections
collections _collections_abc _colorize colorsys _compat_pickle compileall _compression compression
concurrent configparser contextlib _contextvars contextvars copy copyreg cProfile _crypt crypt _csv csv
_ctypes ctypes _curses curses _curses_panel dataclasses _datetime datetime _dbm dbm _decimal decimal
difflib dis distutils doctest _dummy_thread dummy_threading _elementtree email encodings ensurepip enum
errno faulthandler fcntl filecmp fileinput fnmatch formatter fractions _frozen_importlib
_frozen_importlib_external ftplib _functools functools __future__ gc _gdbm genericpath getopt getpass
gettext glob graphlib grp gzip _hashlib hashlib _heapq heapq __hello__ _hmac hmac html http idlelib
imaplib imghdr _imp imp importlib inspect _interpchannels _interpqueues _interpreters _io io _ios_support
ipaddress itertools _json json keyword lib2to3 linecache _locale locale logging _lsprof _lzma lzma
macurl2path mailbox mailcap __main__ _markupbase marshal math _md5 mimetypes mmap modulefinder _msi msilib
msvcrt _multibytecodec _multiprocessing multiprocessing netrc nis nntplib nt ntpath nturl2path numbers
_opcode opcode _opcode_metadata _operator operator optparse os ossaudiodev _osx_support _overlapped parser
pathlib pdb _peg_parser __phello__ _pickle pickle pickletools pipes pkgutil platform plistlib poplib posix
posixpath _posixshmem _posixsubprocess pprint profile pstats pty pwd _py_abc py_compile _py_warnings
pyclbr _pydatetime _pydecimal pydoc pydoc_data pyexpat _pyio _pylong _pyrepl _queue queue quopri _random
random re readline _remote_debugging reprlib resource rlcompleter runpy sched _scproxy secrets select
selectors _sha1 _sha256 _sha3 _sha512 shelve shlex shutil _signal signal site _sitebuiltins smtpd smtplib
sndhdr _socket socket socketserver spwd _sqlite3 sqlite3 _sre sre_compile sre_constants sre_parse _ssl ssl
_stat stat _statistics statistics _string string stringprep _strptime _struct struct subprocess
_suggestions sunau symbol _symtable symtable sys _sysconfig sysconfig syslog tabnanny tarfile telnetlib
tempfile termios test _testcapi textwrap this _thread threading _threading_local time timeit _tkinter
tkinter token _tokenize tokenize tomllib trace traceback _tracemalloc tracemalloc tty turtle turtledemo
_types types _typing typing unicodedata unittest urllib uu _uuid uuid venv _warnings warnings wave
_weakref weakref _weakrefset webbrowser _winapi winreg winsound _wmi wsgiref xdrlib xml xmlrpc zipapp
zipfile zipimport zlib _zoneinfo zoneinfo _zstd
`);

/** Python 2 modules that no package provides. */
const PYTHON_2 = words(`
BaseHTTPServer Bastion CGIHTTPServer ConfigParser Cookie Dialog DocXMLRPCServer FileDialog HTMLParser
MimeWriter Queue ScrolledText SimpleDialog SimpleHTTPServer SimpleXMLRPCServer SocketServer StringIO Tix
Tkconstants Tkdnd Tkinter UserDict UserList UserString __builtin__ anydbm cPickle cStringIO commands
compiler cookielib copy_reg dbhash dircache dumbdbm dummy_thread exceptions fpformat future_builtins gdbm
hotshot htmlentitydefs htmllib httplib ihooks imputil md5 mhlib mimetools mimify multifile mutex new
os2emxpath popen2 posixfile rexec rfc822 robotparser sets sgmllib sha statvfs stringold strop sunaudio
thread tkColorChooser tkCommonDialog tkFileDialog tkFont tkMessageBox tkSimpleDialog toaiff ttk urllib2
urlparse user whichdb xmllib xmlrpclib _winreg
`);

/** The first version without the module. */
const REMOVED = new Map([
  ...versions("3.10", "formatter parser symbol"),
  ...versions("3.11", "binhex"),
  ...versions("3.12", "asynchat asyncore distutils imp smtpd"),
  ...versions(
    "3.13",
    "aifc audioop cgi cgitb chunk crypt imghdr lib2to3 mailcap msilib nis nntplib ossaudiodev pipes sndhdr spwd sunau telnetlib uu xdrlib",
  ),
]);

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

function versions(version: string, names: string): readonly (readonly [string, string])[] {
  return names.split(" ").map((name) => [name, version] as const);
}
