import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { usedMs } from "../../../../tests/used-time.ts";
import type { SearchDocument } from "./document.ts";
import type { RankingOptions } from "./ranking.ts";
import { SearchIndex } from "./search-index.ts";

function skill(name: string, description = "", more: Partial<SearchDocument> = {}): SearchDocument {
  return { id: name, key: `key of ${name}`, name, description, tags: [], body: "", ...more };
}

function indexOf(...documents: readonly SearchDocument[]): SearchIndex {
  const index = SearchIndex.empty();
  for (const document of documents) index.upsert(document);
  return index;
}

function ids(index: SearchIndex, query: string, options?: RankingOptions): readonly string[] {
  return index.search(query, options).map(({ id }) => id);
}

const tools = [
  skill("pdf-forms", "Fill in PDF forms and read their fields.", { tags: ["documents"] }),
  skill("spreadsheet-report", "Make reports from Excel workbooks.", { body: "# Charts\nUse openpyxl." }),
  skill("kubernetes-deploy", "Roll out services to a cluster.", { body: "kubectl apply, then watch pods." }),
  skill("github-actions", "Write CI workflows.", { body: "Runs on GitHub. Fill in the matrix." }),
  skill("swiftui-expert", "Review SwiftUI views.", { references: "NavigationStack, Observable macro" }),
  skill("meeting-notes", "Summarise a meeting.", { body: "Who said what. Mention a PDF if one was shown." }),
];

describe("ranking", () => {
  const index = indexOf(...tools);

  test("a word in the name counts more than one in the body [S-61]", () => {
    expect(ids(index, "pdf")).toEqual(["pdf-forms", "meeting-notes"]);
  });

  test.each([
    ["name", "deploy", "kubernetes-deploy"],
    ["description", "cluster", "kubernetes-deploy"],
    ["tags", "document", "pdf-forms"],
    ["body", "charts", "spreadsheet-report"],
    ["references", "observable", "swiftui-expert"],
  ])("finds a word of the %s and says so [S-61]", (field, query, id) => {
    const [hit] = index.search(query);
    expect(hit?.id).toBe(id);
    expect(hit?.fields).toEqual([field]);
    expect(hit?.matched).toEqual([query]);
    expect(hit?.isWeak).toBe(false);
  });

  test("a task in many words finds its skill, and common words do not matter [S-61]", () => {
    const task = "Could you please look at these excel workbooks that I have got here and make me a report?";
    expect(ids(index, task)[0]).toBe("spreadsheet-report");
  });

  test("each hit shows its score parts and its matched words as typed [S-61]", () => {
    const [hit] = index.search("Fill PDFs quickly");
    expect(hit).toMatchObject({
      id: "pdf-forms",
      matched: ["Fill", "PDFs"],
      parts: { bm25: 1, coverage: 1, name: 0.5 },
    });
    expect(hit?.fields).toEqual(["name", "description"]);
  });

  test("a hit that matches little of the query is weak [S-61]", () => {
    const hits = index.search("orbital mechanics of comets near the watch tower in galactic medieval poetry");
    expect(hits.map(({ id, isWeak }) => [id, isWeak])).toEqual([["kubernetes-deploy", true]]);
  });

  test("returns nothing for unknown words [S-61]", () => {
    expect(ids(index, "zzqxv wwqyk")).toEqual([]);
  });

  test("a prior ranks a skill higher among similar ones [S-61]", () => {
    const twins = indexOf(skill("tidy-alpha", "Tidy code"), skill("tidy-bravo", "Tidy code"));
    expect(ids(twins, "tidy code")).toEqual(["tidy-alpha", "tidy-bravo"]);
    const prior = (id: string) => (id === "tidy-bravo" ? 0.1 : 0);
    expect(ids(twins, "tidy code", { prior })).toEqual(["tidy-bravo", "tidy-alpha"]);
  });

  test.each([
    ["", false],
    [" \n\t ", false],
    ["what is it that you do", true],
    ["How to do it? 🚀", true],
    ["ｘ 1", true],
  ])("%j lists all by prior, then by name, as weak if words were typed [S-61]", (query, isWeak) => {
    const prior = (id: string) => (id === "swiftui-expert" ? 0.2 : 0);
    const names = tools.map(({ id }) => id).filter((id) => id !== "swiftui-expert");
    expect(ids(index, query, { prior })).toEqual(["swiftui-expert", ...names.toSorted()]);
    expect(ids(index, query, { limit: 2 })).toEqual(names.toSorted().slice(0, 2));
    expect(new Set(index.search(query).map((hit) => hit.isWeak))).toEqual(new Set([isWeak]));
  });

  test.each([
    ["an emoji", "🚀"],
    ["a wildcard", "%"],
    ["punctuation", "?!"],
    ["an invisible character", "\u200b"],
    ["an accent", "\u0301"],
    ["a run too long for a word", "a".repeat(1000)],
    ["a stop word and a run too long for a term", `the ${"b".repeat(41)}`],
  ])("%s has no searchable word and finds nothing [S-61]", (_, query) => {
    expect(index.search(query)).toEqual([]);
  });

  test("without a searchable word, still finds a name by its spelling [S-61]", () => {
    const long = "extraordinarily".repeat(3);
    const named = indexOf(...tools, skill(long), skill("how-to", "Guides"));
    expect(named.search(`${long}s`)).toMatchObject([{ id: long, isWeak: false, fields: ["name"] }]);
    const [first, ...others] = named.search("How to");
    expect(first).toMatchObject({ id: "how-to", isWeak: false });
    expect(others).toHaveLength(tools.length + 1);
    expect(others.every(({ isWeak }) => isWeak)).toBe(true);
  });

  test("equal content is one hit that names its copies [S-61]", () => {
    const copies = ["b/lint", "a/lint", "c/lint"].map((id) => skill("lint", "Lint code", { id, key: "one" }));
    const [hit, ...others] = indexOf(...copies, skill("other", "Lint text")).search("lint code");
    expect(hit).toMatchObject({ id: "a/lint", copies: ["b/lint", "c/lint"] });
    expect(others.map(({ id, copies }) => [id, copies])).toEqual([["other", []]]);
  });
});

describe("the author's words about use", () => {
  test("a request among the triggers of a skill finds it before one that only mentions it [S-61]", () => {
    const index = indexOf(
      skill("alpha", "Works on tables.", {
        body: `People reconcile ledgers here. ${"More about cells. ".repeat(300)}`,
      }),
      skill("bravo", "Works on tables.", { triggers: "reconcile my ledgers" }),
    );
    const [hit] = index.search("please reconcile ledgers for me");
    expect(hit).toMatchObject({ id: "bravo", fields: ["triggers"] });
  });

  test("a request that a skill excludes ranks it below similar skills [S-61]", () => {
    const same = "Converts invoices between formats.";
    const index = indexOf(
      skill("alpha", same, { exclusions: "Do not use for printing invoices on paper" }),
      skill("bravo", same),
    );
    expect(ids(index, "convert invoices")).toEqual(["alpha", "bravo"]);
    const [first, second] = index.search("convert invoices for printing on paper");
    expect([first?.id, second?.id]).toEqual(["bravo", "alpha"]);
    expect(second?.parts.excluded).toBeGreaterThan(0.5);
  });

  test("words of exclusions alone find no skill [S-61]", () => {
    expect(ids(indexOf(skill("alpha", "Text.", { exclusions: "zebra" })), "zebra")).toEqual([]);
  });
});

describe("near copies", () => {
  const words = Array.from({ length: 120 }, (_, at) => `word${at}`);
  const text = (changed: number) => words.map((word, at) => (at < changed ? `other${at}` : word)).join(" ");
  const version = (id: string, changed: number, name = id) =>
    skill(name, "Sorts mail.", { id, key: id, name, body: text(changed) });

  test("two versions of one skill are one hit that names the other [S-61]", () => {
    const hits = indexOf(version("mail", 0), version("mail-2", 3, "mail-2 mail")).search("sort mail");
    expect(hits).toMatchObject([{ id: "mail", copies: ["mail-2"] }]);
  });

  test("skills from one template with different names stay separate [S-61]", () => {
    const hits = indexOf(version("mail", 0), version("post", 12)).search("sort mail");
    expect(hits.map(({ id, copies }) => [id, copies])).toEqual([
      ["mail", []],
      ["post", []],
    ]);
  });

  test("skills with the same name and different texts stay separate [S-61]", () => {
    expect(
      indexOf(version("mail", 0), version("mail-2", 80, "mail-2 mail")).search("sort mail"),
    ).toHaveLength(2);
  });
});

describe("queries that match no skill", () => {
  const many = Array.from({ length: 60 }, (_, at) =>
    skill(`helper-${at}`, `Helps with topic${at} reports.`, {
      body: "Write the report. Check the data and send it.",
    }),
  );

  test("words shared by many skills are not a strong hit for a long task [S-61]", () => {
    const query = "check the data of my garden and write a report about watering tomatoes";
    expect(
      indexOf(...many)
        .search(query)
        .every(({ isWeak }) => isWeak),
    ).toBe(true);
  });

  test("a skill that stands out is a strong hit [S-61]", () => {
    const garden = skill("garden", "Plans gardens and watering.", { body: "Tomatoes need water." });
    const query = "check the data of my garden and write a report about watering tomatoes";
    const [first] = indexOf(...many, garden).search(query);
    expect(first).toMatchObject({ id: "garden", isWeak: false });
  });
});

describe("names and words as people type them", () => {
  const index = indexOf(...tools);

  test.each([
    ["spaced", "swift ui expert", "swiftui-expert"],
    ["joined", "githubactions", "github-actions"],
    ["a letter missing", "kuberntes-deploy", "kubernetes-deploy"],
    ["two letters swapped", "spreadhseet report", "spreadsheet-report"],
    ["half typed", "meeting-no", "meeting-notes"],
    ["begun", "kub", "kubernetes-deploy"],
    ["in capitals", "PDF FORMS", "pdf-forms"],
  ])("finds a name %s [S-61]", (_, query, id) => {
    expect(ids(index, query)[0]).toBe(id);
  });

  test.each([
    ["a slip", "wrokbooks", "spreadsheet-report"],
    ["a slip beside a right word", "cluser services", "kubernetes-deploy"],
    ["a word not typed to its end", "roll out serv", "kubernetes-deploy"],
    ["another case", "swiftui", "swiftui-expert"],
  ])("finds a word of the text with %s [S-61]", (_, query, id) => {
    const [hit] = index.search(query);
    expect(hit?.id).toBe(id);
    expect(hit?.matched.length).toBeGreaterThan(0);
  });

  test("prefers an exact word to its completions [S-61]", () => {
    const index = indexOf(skill("one", "Arrange the dock"), skill("two", "Arrange the docker"));
    expect(ids(index, "arrange dock")).toEqual(["one", "two"]);
  });

  test("Chinese queries find Chinese text, including parts of words [S-61]", () => {
    const index = indexOf(
      skill("图表生成", "根据数据生成图表和报告"),
      skill("翻译助手", "把文档翻译成中文"),
      skill("chart-maker", "Makes charts", { body: "支持中文 labels" }),
    );
    expect(ids(index, "帮我生成一个数据图表")[0]).toBe("图表生成");
    expect(ids(index, "翻译")).toEqual(["翻译助手"]);
    expect(ids(index, "图")).toEqual(["图表生成"]);
    expect(ids(index, "中文")).toEqual(["翻译助手", "chart-maker"]);
  });
});

describe("access", () => {
  test("hidden documents are left out before the limit applies [S-61]", () => {
    const hidden = Array.from({ length: 400 }, (_, at) => skill(`deploy-${at}`, "Deploy deploy deploy."));
    const shown = skill("operations", "", { body: "How to run things, and among them a deploy." });
    const index = indexOf(...hidden, shown);
    const accepts = (id: string) => id === "operations";
    const [hit, ...others] = index.search("deploy", { accepts, limit: 5 });
    expect(others).toEqual([]);
    expect(hit).toMatchObject({ id: "operations", parts: { bm25: 1 } });
    expect(ids(index, "", { accepts })).toEqual(["operations"]);
    expect(ids(index, "deploy", { accepts: () => false })).toEqual([]);
  });

  test("a hidden copy of a document is not named [S-61]", () => {
    const copies = ["a", "b", "c"].map((id) => skill("lint", "Lint code", { id, key: "one" }));
    const [hit] = indexOf(...copies).search("lint", { accepts: (id) => id !== "a" });
    expect(hit).toMatchObject({ id: "b", copies: ["c"] });
  });

  test("respects the limit, which may exceed the usual depth [S-61]", () => {
    const many = Array.from({ length: 500 }, (_, at) => skill(`task-${at}`, "Sort mail."));
    const index = indexOf(...many);
    expect(index.search("mail")).toHaveLength(10);
    expect(index.search("mail", { limit: 450 })).toHaveLength(450);
    expect(index.search("mail", { limit: 0 })).toEqual([]);
    expect(index.search("", { limit: 3 })).toHaveLength(3);
  });
});

describe("changes", () => {
  test("finds a document by its id and its key [S-61]", () => {
    const index = indexOf(skill("a", "first text", { key: "1" }));
    expect([index.has("a", "1"), index.has("a", "2"), index.has("b", "1")]).toEqual([true, false, false]);
    index.upsert(skill("a", "second text", { key: "2" }));
    expect([index.has("a", "1"), index.has("a", "2"), index.size]).toEqual([false, true, 1]);
    expect([ids(index, "first"), ids(index, "second")]).toEqual([[], ["a"]]);
    expect([index.remove("a"), index.remove("a"), index.size, ids(index, "second")]).toEqual([
      true,
      false,
      0,
      [],
    ]);
  });

  test("after any changes, answers equal those of a new index [S-61]", () => {
    const change = fc.record({
      id: fc.integer({ min: 0, max: 7 }),
      words: fc.array(fc.constantFrom(...vocabulary), { maxLength: 6 }),
      action: fc.constantFrom("upsert", "upsert", "upsert", "remove", "search", "snapshot"),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        let index = SearchIndex.empty();
        const documents = new Map<string, SearchDocument>();
        for (const { id, words, action } of changes) {
          const name = `${vocabulary[id]}-skill`;
          if (action === "search") index.search("deploy");
          else if (action === "snapshot") index = SearchIndex.load(index.snapshot()) ?? SearchIndex.empty();
          else if (action === "remove") expect(index.remove(name)).toBe(documents.delete(name));
          else {
            const text = words.join(" ");
            const document = skill(name, text, { key: `${name} ${text}`, body: `${text} ${text} notes` });
            index.upsert(document);
            documents.set(name, document);
          }
        }
        const anew = indexOf(...documents.values());
        expect(index.size).toBe(documents.size);
        expect(index.ids().toSorted()).toEqual([...documents.keys()].toSorted());
        for (const query of [...vocabulary, "deploy dokcer notes", "skill dep", ""])
          expect(index.search(query)).toEqual(anew.search(query));
      }),
    );
  });
});

const vocabulary = ["deploy", "docker", "python", "review", "数据", "GitHub", "tests", "caches", "pdf"];

describe("hostile queries", () => {
  const index = indexOf(...tools);

  test("any text is a query [S-61]", () => {
    const units = fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 })
      .map((list) => String.fromCharCode(...list));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), units), (query) => {
        for (const hit of index.search(query)) expect(Number.isFinite(hit.score)).toBe(true);
      }),
    );
  });

  test.each([
    ["operators", `") OR 1=1; NEAR(* "AND" -pdf:^~`],
    ["names of object members", "__proto__ constructor toString hasOwnProperty"],
    ["one letter, many times", "a".repeat(100_000)],
    ["many words", Array.from({ length: 20_000 }, (_, at) => `w${at}`).join(" ")],
    ["capitals in turn", "aB".repeat(50_000)],
    ["Chinese without an end", "数据".repeat(50_000)],
    ["marks without letters", "\u0301".repeat(100_000)],
    ["half-width kana without an end", "ﾃﾞ".repeat(50_000)],
    ["the mark of trigrams", "\u0001^pd \u0001pdf"],
  ])("%s take little time [S-61]", (_, query) => {
    expect(usedMs(() => index.search(query))).toBeLessThan(1000);
  });

  test("limits that are not numbers return nothing instead of an error [S-61]", () => {
    expect(index.search("pdf", { limit: -3 })).toEqual([]);
    expect(index.search("pdf", { limit: Number.NaN })).toEqual([]);
    expect(index.search("pdf", { limit: Number.POSITIVE_INFINITY })).toHaveLength(2);
  });

  test("documents of any text can be indexed and found [S-61]", () => {
    const text = fc.string({ unit: "binary", maxLength: 60 });
    fc.assert(
      fc.property(fc.array(fc.record({ name: text, body: text }), { maxLength: 5 }), (list) => {
        const documents = list.map((one, at) =>
          skill(one.name, one.body, { ...one, id: `${at}`, key: `${at}` }),
        );
        const index = indexOf(...documents);
        const loaded = SearchIndex.load(index.snapshot());
        for (const { name } of list) expect(loaded?.search(name)).toEqual(index.search(name));
        expect(index.search("").length).toBe(list.length);
      }),
    );
  });
});
