import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson, stringifyJson } from "@tavernkeep/sdk";

test("integers beyond 2^53 survive a round trip", () => {
  const text = '{"a":9223372036854775807,"b":-9007199254740993,"c":[1,2.5,1e-7,"12345678901234567890"],"d":{"e":null}}';
  const value = parseJson(text);
  assert.equal(value.a, 9223372036854775807n);
  assert.equal(value.b, -9007199254740993n);
  assert.equal(value.c[3], "12345678901234567890");
  assert.equal(stringifyJson(value), text);
});

test("small integers and fractions stay numbers beside large ones", () => {
  assert.deepEqual(parseJson("[9007199254740991, 9007199254740992, 0.1000000000000000055, 1e21, -0]"), [
    9007199254740991,
    9007199254740992n,
    0.1,
    1e21,
    -0,
  ]);
});

test("the reader of large numbers agrees with JSON.parse on everything else", () => {
  const texts = ['{"__proto__":{"x":1},"k":"\\ud83d\\ude00\\n\\u0000"}', "[]", "{}", ' [ true , false , null , "" , { } ] ', '"\\\\\\"/"', "-1.5e+10"];
  for (const text of texts) {
    const [, own] = parseJson(`[1234567890123456789,${text}]`);
    assert.deepEqual(own, JSON.parse(text));
    assert.deepEqual(Object.keys(Object(own)), Object.keys(Object(JSON.parse(text))));
  }
  assert.equal(Object.getPrototypeOf(parseJson('[1234567890123456789,{"__proto__":{"x":1}}]')[1]), Object.prototype);
});

test("malformed texts are refused", () => {
  for (const text of ["[1234567890123456789", "[1234567890123456789,]", "{1234567890123456789:1}", "01234567890123456789", '"1234567890123456789\n"', "1234567890123456789 1", "[1234567890123456789,nul]"]) {
    assert.throws(() => parseJson(text), SyntaxError, text);
  }
});

test("writing follows JSON.stringify", () => {
  const value = { a: [1, undefined, { b: "ü\u2028" }], c: undefined, d: new Date(0), e: [], f: {} };
  assert.equal(stringifyJson(value), JSON.stringify(value));
  assert.equal(stringifyJson(value, 2), JSON.stringify(value, null, 2));
  assert.equal(stringifyJson({ big: 2n ** 60n }, "\t"), '{\n\t"big": 1152921504606846976\n}');
  assert.throws(() => stringifyJson(Number.NaN), TypeError);
});
