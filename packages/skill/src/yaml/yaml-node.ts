import type { Limits } from "@skillhold/protocol/limits";
import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { type FrontmatterValue, isMap as isData } from "./value.ts";

export type NodeFaultCode =
  | "YAML_INVALID"
  | "YAML_TAG"
  | "DUPLICATE_KEY"
  | "ALIAS_BOMB"
  | "FRONTMATTER_TOO_COMPLEX";

export interface NodeFault {
  readonly code: NodeFaultCode;
  readonly offset: number;
  readonly message: string;
}

/** YAML features that simple readers, such as those in MCP clients, do not support. */
export type YamlFeature =
  | "anchor"
  | "tag"
  | "multi-line quoted text"
  | "multi-line flow collection"
  | "indented block scalar";

export interface NodeReading {
  readonly value: FrontmatterValue;
  readonly faults: readonly NodeFault[];
  /** Offset of each top-level key. */
  readonly keys: ReadonlyMap<string, number>;
  /** Source text of the top-level scalars that are not strings, such as `1.10`. */
  readonly texts: ReadonlyMap<string, string>;
  /** Paths below `metadata` with an unquoted scalar that other readers parse as a number, date, boolean or null. */
  readonly untyped: readonly string[];
  readonly features: ReadonlySet<YamlFeature>;
}

/** Converts a composed document to data in linear time. Aliases are expanded within a budget. */
export function readNode(root: unknown, text: string, limits: Limits): NodeReading {
  const walk = new Walk(text, limits);
  const value = walk.read(root, []);
  return {
    value,
    faults: walk.faults,
    keys: walk.keys,
    texts: walk.texts,
    untyped: walk.untyped,
    features: walk.features,
  };
}

/** Values that YAML 1.1 readers, still the majority, do not parse as strings. */
const TYPED_TEXT = /^(?:\d{4}-\d{1,2}-\d{1,2}(?:[Tt \t].*)?|y|n|yes|no|on|off)$/i;

/** True when a YAML 1.1 reader would not parse a plain scalar as a string. */
export function isTypedText(text: string): boolean {
  return TYPED_TEXT.test(text);
}

const CORE_TAGS = new Set(
  ["str", "int", "float", "bool", "null", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`),
);

class Walk {
  readonly faults: NodeFault[] = [];
  readonly keys = new Map<string, number>();
  readonly texts = new Map<string, string>();
  readonly untyped: string[] = [];
  readonly features = new Set<YamlFeature>();
  readonly #text: string;
  readonly #limits: Limits;
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();
  #nodes = 0;
  #expanding = 0;

  constructor(text: string, limits: Limits) {
    this.#text = text;
    this.#limits = limits;
  }

  read(node: unknown, path: readonly string[]): FrontmatterValue {
    if (isAlias(node)) return this.#readAlias(node, path);
    this.#nodes += 1;
    if (this.#nodes > this.#limits.yamlNodes)
      return this.#stop("ALIAS_BOMB", node, "aliases expand to too much data");
    if (path.length > this.#limits.yamlDepth) {
      return this.#stop("FRONTMATTER_TOO_COMPLEX", node, "the YAML is nested too deeply");
    }
    if (this.#expanding === 0) this.#noteFeatures(node);
    if (isMap(node)) return this.#readMap(node, path);
    if (isSeq(node)) return node.items.map((item, index) => this.read(item, [...path, String(index)]));
    return isScalar(node) ? this.#readScalar(node, path) : null;
  }

  #readMap(map: YAMLMap, path: readonly string[]): FrontmatterValue {
    const data: Record<string, FrontmatterValue> = Object.create(null);
    const merged: FrontmatterValue[] = [];
    for (const pair of map.items) {
      const key = this.#readKey(pair);
      if (key === undefined) continue;
      if (isMerge(pair)) {
        merged.push(this.read(pair.value, path));
        continue;
      }
      const offset = offsetOf(pair.key);
      if (key in data) {
        this.#fault("DUPLICATE_KEY", offset, `the key ${JSON.stringify(key)} appears twice`);
      } else if (path.length === 0) {
        this.keys.set(key, offset);
      }
      data[key] = this.read(pair.value, [...path, key]);
      if (this.#isExhausted()) break;
    }
    for (const source of merged.flat().filter(isData)) {
      for (const key of Object.keys(source)) if (!(key in data)) data[key] = source[key] ?? null;
    }
    return data;
  }

  #readKey(pair: Pair): string | undefined {
    const key = isAlias(pair.key) ? this.#anchors.get(pair.key.source) : pair.key;
    if (isScalar(key)) {
      this.#remember(key);
      return typeof key.value === "string" ? key.value : (key.source ?? String(key.value ?? ""));
    }
    this.#fault("YAML_INVALID", offsetOf(pair.key), "a key must be a single word or phrase");
    return undefined;
  }

  #readScalar(scalar: Scalar, path: readonly string[]): FrontmatterValue {
    const { value, source } = scalar;
    const text = source ?? String(value ?? "");
    const isPlain = scalar.type === "PLAIN" || scalar.type === undefined;
    if (path[0] === "metadata" && path.length > 1) {
      if (isPlain && (typeof value !== "string" || TYPED_TEXT.test(text)))
        this.untyped.push(path.slice(1).join("."));
      return typeof value === "string" ? value : text;
    }
    if (path.length === 1 && typeof value !== "string") this.texts.set(path[0] ?? "", text);
    if (typeof value === "number") return isFaithful(value) ? value : text;
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    return text;
  }

  #readAlias(alias: Alias, path: readonly string[]): FrontmatterValue {
    const target = this.#anchors.get(alias.source);
    this.features.add("anchor");
    if (target === undefined || this.#open.has(target)) {
      this.#fault("YAML_INVALID", offsetOf(alias), `the alias *${alias.source} refers to no anchor`);
      return null;
    }
    this.#expanding += 1;
    this.#open.add(target);
    const value = this.read(target, path);
    this.#open.delete(target);
    this.#expanding -= 1;
    return value;
  }

  #noteFeatures(node: unknown): void {
    if (!(isScalar(node) || isMap(node) || isSeq(node))) return;
    this.#remember(node);
    this.#noteSpelling(node);
    if (node.tag === undefined) return;
    this.features.add("tag");
    if (CORE_TAGS.has(node.tag)) return;
    this.#fault(
      "YAML_TAG",
      offsetOf(node),
      `the tag ${node.tag} is not part of YAML's core schema and is ignored`,
    );
  }

  #noteSpelling(node: Scalar | YAMLMap | YAMLSeq): void {
    const kind = isScalar(node) ? node.type : node.flow === true ? "FLOW" : undefined;
    if (kind === undefined || kind === "PLAIN" || node.range == null) return;
    const source = this.#text.slice(node.range[0], node.range[1]);
    if (kind === "BLOCK_FOLDED" || kind === "BLOCK_LITERAL") {
      if (/^[|>][+-]?\d/.test(source)) this.features.add("indented block scalar");
    } else if (source.includes("\n")) {
      this.features.add(kind === "FLOW" ? "multi-line flow collection" : "multi-line quoted text");
    }
  }

  #remember(node: Node): void {
    if (!("anchor" in node) || typeof node.anchor !== "string") return;
    this.features.add("anchor");
    this.#anchors.set(node.anchor, node);
  }

  #stop(code: NodeFaultCode, node: unknown, message: string): FrontmatterValue {
    if (!this.faults.some((fault) => fault.code === code)) this.#fault(code, offsetOf(node), message);
    return null;
  }

  #isExhausted(): boolean {
    return this.#nodes > this.#limits.yamlNodes;
  }

  #fault(code: NodeFaultCode, offset: number, message: string): void {
    this.faults.push({ code, offset, message });
  }
}

/** `<<: *base`, which YAML 1.1 readers merge into the mapping. A `<<` with another value is an ordinary key. */
function isMerge({ key, value }: Pair): boolean {
  if (!isScalar(key) || key.value !== "<<" || key.type !== "PLAIN") return false;
  return isAlias(value) || (isSeq(value) && value.items.every(isAlias));
}

/** False for numbers that JSON cannot represent or would round: infinities, NaN and integers beyond 2^53. */
export function isFaithful(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function offsetOf(node: unknown): number {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? 0) : 0;
}
