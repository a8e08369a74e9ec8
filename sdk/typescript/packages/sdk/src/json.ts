// JSON without rounding: integers beyond 2^53 are read as bigint and written as plain digits.

/** A JSON value as this package reads and writes it. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };
/** A JSON object. */
export type JsonObject = { [key: string]: Json };

// Only a text with a run of 16 digits can hold an integer beyond 2^53, so all others take the built-in parser.
const MAY_ROUND = /\d{16}/;

/** Reads JSON. An integer that a double cannot hold exactly becomes a bigint. */
export function parseJson(text: string): Json {
  return MAY_ROUND.test(text) ? new Reader(text).document() : (JSON.parse(text) as Json);
}

/** Writes JSON. A bigint becomes a plain integer; `indent` is a number of spaces or the text of one level. */
export function stringifyJson(value: unknown, indent?: number | string): string {
  const unit = typeof indent === "number" ? " ".repeat(Math.min(10, indent)) : (indent ?? "");
  return write(value, unit, "") ?? "null";
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  document(): Json {
    const value = this.value();
    this.skip();
    if (this.at < this.text.length) throw this.unexpected();
    return value;
  }

  private value(): Json {
    this.skip();
    switch (this.text[this.at]) {
      case "{":
        return this.object();
      case "[":
        return this.array();
      case '"':
        return this.string();
      case "t":
        return this.word("true", true);
      case "f":
        return this.word("false", false);
      case "n":
        return this.word("null", null);
      default:
        return this.number();
    }
  }

  private object(): JsonObject {
    const object: JsonObject = {};
    this.at += 1;
    if (this.take("}")) return object;
    do {
      this.skip();
      const key = this.string();
      this.expect(":");
      const value = this.value();
      // An assignment to `__proto__` would change the prototype instead of adding a member.
      if (key === "__proto__") Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
      else object[key] = value;
    } while (this.take(","));
    this.expect("}");
    return object;
  }

  private array(): Json[] {
    const array: Json[] = [];
    this.at += 1;
    if (this.take("]")) return array;
    do array.push(this.value());
    while (this.take(","));
    this.expect("]");
    return array;
  }

  private string(): string {
    return JSON.parse(this.match(STRING)[0]) as string;
  }

  private number(): number | bigint {
    const [text, fraction, exponent] = this.match(NUMBER);
    const number = Number(text);
    if (fraction !== undefined || exponent !== undefined || Number.isSafeInteger(number)) return number;
    return BigInt(text);
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.unexpected();
    this.at += word.length;
    return value;
  }

  private match(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (!match) throw this.unexpected();
    this.at = pattern.lastIndex;
    return match;
  }

  private skip(): void {
    SPACE.lastIndex = this.at;
    SPACE.exec(this.text);
    this.at = SPACE.lastIndex;
  }

  private take(character: string): boolean {
    this.skip();
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private expect(character: string): void {
    if (!this.take(character)) throw this.unexpected();
  }

  private unexpected(): SyntaxError {
    const found = this.text[this.at];
    const what = found === undefined ? "the text ends too early" : `unexpected ${JSON.stringify(found)}`;
    return new SyntaxError(`${what} at position ${this.at} of the JSON text`);
  }
}

function write(value: unknown, unit: string, margin: string): string | undefined {
  switch (typeof value) {
    case "bigint":
      return value.toString();
    case "number":
      if (!Number.isFinite(value)) throw new TypeError(`${value} is not JSON`);
      return JSON.stringify(value);
    case "object":
      break;
    default:
      return JSON.stringify(value);
  }
  if (value === null) return "null";
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return JSON.stringify(value);
  const inner = margin + unit;
  const separator = unit ? ": " : ":";
  const isArray = Array.isArray(value);
  const parts: string[] = [];
  if (isArray) for (const item of value) parts.push(write(item, unit, inner) ?? "null");
  else {
    for (const [key, item] of Object.entries(value)) {
      const text = write(item, unit, inner);
      if (text !== undefined) parts.push(JSON.stringify(key) + separator + text);
    }
  }
  const [open, close] = isArray ? "[]" : "{}";
  if (parts.length === 0) return `${open}${close}`;
  return unit ? `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}` : open + parts.join(",") + close;
}
