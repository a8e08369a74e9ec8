// Makes a context a sandbox. It runs once, loads lodash on its way, and gives back what the machine itself calls.
// Afterwards nothing that scripts share can be changed: what one function does, another cannot see, but for the snapshot.
(function (host) {
  "use strict";
  const { random, now, log, shiftTime, loadLodash } = host;
  const global = globalThis;
  const { Reflect, Object, JSON, String, Number, TypeError, RegExp, Error, Map, Set } = global;
  const { defineProperty, freeze, getOwnPropertyDescriptor, getPrototypeOf, isFrozen } = Object;
  const { ownKeys, construct } = Reflect;
  const { create } = Object;
  const sourceOf = Function.prototype.toString;
  const stringify = JSON.stringify;
  const exec = RegExp.prototype.exec;
  const { codePointAt, slice } = String.prototype;
  const apply = Reflect.apply;
  const define = (object, name, value) =>
    defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });

  // No code from text: neither by name nor by way of the constructors of functions.
  const refuse = () => {
    throw new TypeError("code from text is not run here");
  };
  const kinds = [function () {}, function* () {}, async function () {}, async function* () {}];
  for (const kind of kinds) {
    const prototype = getPrototypeOf(kind);
    const constructor = function Function() {
      return refuse();
    };
    constructor.prototype = prototype;
    define(prototype, "constructor", constructor);
    if (prototype === Function.prototype) define(global, "Function", constructor);
  }
  delete global.eval;

  // Time is the time of the turn, chance comes from its seed.
  const RealDate = global.Date;
  const Date = function Date(...parts) {
    if (new.target === undefined) return new RealDate(now()).toString();
    return construct(RealDate, parts.length === 0 ? [now()] : parts, new.target);
  };
  Date.prototype = RealDate.prototype;
  define(RealDate.prototype, "constructor", Date);
  define(Date, "now", function now_() {
    return now();
  });
  define(Date, "parse", RealDate.parse);
  define(Date, "UTC", RealDate.UTC);
  define(global, "Date", Date);
  define(global.Math, "random", random);

  // Hooks that the machine would call, and settings of its own, become plain properties.
  define(Error, "prepareStackTrace", undefined);
  define(Error, "stackTraceLimit", 10);

  // Story time: what goes in as text comes out as text of the same form.
  const shift = (name, unit) => {
    const shifted = function (time, amount) {
      const count = amount === undefined ? 1 : +amount;
      if (count !== count || count === Infinity || count === -Infinity) {
        throw new TypeError(name + ": the amount is not a number");
      }
      if (typeof time === "number") return time + count * unit;
      if (time instanceof Date) return new RealDate(+time + count * unit);
      const text = typeof time === "string" ? shiftTime(time, count * unit) : undefined;
      if (text === undefined) {
        const shown = typeof time === "string" ? stringify(time) : String(time);
        throw new TypeError(name + ": " + shown + ' is not a time such as "2024-10-26T20:00:00Z" or "2024年10月26日 20:00"');
      }
      return text;
    };
    define(shifted, "name", name);
    define(global, name, shifted);
  };
  shift("addMinutes", 60000);
  shift("addHours", 3600000);
  shift("addDays", 86400000);

  // An integer beyond 2^53 is no exact number. Scripts get this in its place: they can move it, compare it and write it, and
  // an attempt to compute with it fails. One integer is one object; copies that scripts make of it are known by its prototype.
  const integers = new Map();
  const integerPrototype = {
    toString() {
      return this.digits;
    },
    toJSON() {
      return "<integer " + this.digits + ">";
    },
    [Symbol.toPrimitive](hint) {
      if (hint === "string") return this.digits;
      throw new TypeError(this.digits + " is an integer beyond 2^53: it can be moved, not computed with; `${…}` writes it");
    },
  };
  const integer = (digits) => {
    let known = integers.get(digits);
    if (known === undefined) {
      known = freeze(create(integerPrototype, { digits: { value: digits, enumerable: true } }));
      integers.set(digits, known);
    }
    return known;
  };

  // What JSON has no words for is what authors look for: it is shown by its name.
  const readable = (_, value) => {
    if (value instanceof Map || value instanceof Set) return [...value];
    const isJson = typeof value === "object" || typeof value === "string" || typeof value === "boolean";
    return isJson || Number.isFinite(value) ? value : String(value);
  };
  const shown = (value) => {
    if (typeof value === "string") return value;
    if (typeof value === "object" && value !== null && getPrototypeOf(value) === integerPrototype) return value.digits;
    if (typeof value !== "object" || value instanceof Error) return String(value);
    try {
      const text = stringify(value, readable);
      return text === undefined ? String(value) : text;
    } catch {
      return String(value);
    }
  };
  const write = function (...values) {
    let line = "";
    for (let at = 0; at < values.length; at++) line += (at === 0 ? "" : " ") + shown(values[at]);
    log(line);
  };
  const console = {};
  for (const name of ["log", "info", "warn", "error", "debug"]) define(console, name, write);
  define(global, "console", console);

  // lodash looks for the global object under this name.
  define(global, "self", global);
  if (!loadLodash()) {
    defineProperty(global, "_", {
      get() {
        throw new TypeError("`_` is missing: this program was built without lodash; `make setup` installs it");
      },
    });
  }

  // What scripts may name. Whatever else the machine brings along goes.
  const names =
    "Object Function Array Number String Boolean Symbol BigInt Math JSON Date RegExp Map Set WeakMap WeakSet Promise Proxy " +
    "Reflect Iterator Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError InternalError " +
    "ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array " +
    "BigInt64Array BigUint64Array Float32Array Float64Array Float16Array NaN Infinity undefined globalThis isNaN isFinite " +
    "parseInt parseFloat encodeURI encodeURIComponent decodeURI decodeURIComponent escape unescape console _ " +
    "addMinutes addHours addDays";
  const allowed = new Set(names.split(" "));
  for (const name of ownKeys(global)) {
    if (typeof name === "string" && !allowed.has(name)) delete global[name];
  }

  // A property of a frozen prototype would keep objects below it from having one of the same name. These names are common in
  // stories and errors, so assigning one makes a property of the object, as it does where nothing is frozen.
  const overridable = (prototype, name) => {
    const descriptor = getOwnPropertyDescriptor(prototype, name);
    if (descriptor === undefined || !("value" in descriptor) || !descriptor.configurable) return;
    const { value, enumerable } = descriptor;
    defineProperty(prototype, name, {
      get() {
        return value;
      },
      set(own) {
        if (this === prototype) throw new TypeError("what all scripts share cannot be changed");
        defineProperty(this, name, { value: own, writable: true, enumerable: true, configurable: true });
      },
      enumerable,
      configurable: false,
    });
  };
  for (const name of ownKeys(Object.prototype)) if (name !== "__proto__") overridable(Object.prototype, name);
  for (const error of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError]) {
    for (const name of ["name", "message", "constructor", "toString"]) overridable(error.prototype, name);
  }

  const seen = new Set();
  const pending = [global, ...kinds, [][Symbol.iterator](), new Map().entries(), new Set().values(), ""[Symbol.iterator]()];
  pending.push(/x/[Symbol.matchAll](""), (function* () {})(), (async function* () {})());
  pending.push(integerPrototype, [].values().map((item) => item), Iterator.from({ next() {} }));
  while (pending.length > 0) {
    const object = pending.pop();
    if ((typeof object !== "object" && typeof object !== "function") || object === null || seen.has(object)) continue;
    seen.add(object);
    pending.push(getPrototypeOf(object));
    for (const name of ownKeys(object)) {
      const descriptor = getOwnPropertyDescriptor(object, name);
      if (descriptor === undefined) continue;
      if ("value" in descriptor) pending.push(descriptor.value);
      else pending.push(descriptor.get, descriptor.set);
    }
    if (!isFrozen(object)) freeze(object);
  }

  const LITERAL = /^\/([^]+)\/([a-z]*)$/;
  const HALF = /[\ud800-\udfff]/u;

  // A pattern without the flag `u` may cut a character such as an emoji in two. A half is no text, so groups are widened to
  // whole characters. `again` finds the same match with the places of its groups.
  function wholeGroups(groups, again, text) {
    const { indices } = apply(exec, again, [text]);
    for (let at = 0; at < groups.length; at++) {
      if (!groups[at]) continue;
      let [start, end] = indices[at + 1];
      if (isPair(text, start - 1)) start--;
      if (isPair(text, end - 1)) end++;
      groups[at] = apply(slice, text, [start, end]);
    }
  }
  const isPair = (text, at) => apply(codePointAt, text, [at]) > 0xffff;

  return freeze({
    // Every match of an author's pattern: start, end and groups, one after the other.
    find(pattern, text, most) {
      const literal = apply(exec, LITERAL, [pattern]);
      const expression = literal === null ? new RegExp(pattern, "g") : new RegExp(literal[1], literal[2]);
      const found = [];
      let again;
      for (let count = 0; count < most; count++) {
        const match = apply(exec, expression, [text]);
        if (match === null) break;
        const groups = [];
        let isWhole = true;
        for (let at = 1; at < match.length; at++) {
          groups[at - 1] = match[at];
          isWhole &&= match[at] === undefined || apply(exec, HALF, [match[at]]) === null;
        }
        if (!isWhole) {
          again ??= expression.hasIndices ? expression : new RegExp(expression.source, expression.flags + "d");
          const next = expression.lastIndex;
          again.lastIndex = match.index;
          wholeGroups(groups, again, text);
          expression.lastIndex = next;
        }
        found[count] = [match.index, match.index + match[0].length, groups];
        if (!expression.global) break;
        if (match[0] === "") expression.lastIndex++;
      }
      return found;
    },
    integer,
    integerPrototype,
    // The text of a function, whatever it says of itself.
    source(compiled) {
      return apply(sourceOf, compiled, []);
    },
    // What a function may know beside the snapshot. It is shared by the functions of a turn, so it cannot be changed.
    context(known, text) {
      const context = { ...known, text, random };
      if (context.recent_texts) freeze(context.recent_texts);
      return freeze(context);
    },
  });
});
