// SHA-256 of texts. `crypto.subtle` is missing on pages that are not served over TLS, as SillyTavern in a home network, and it answers
// later; hashes are needed at once, before the chat changes again.

const K = new Uint32Array(64);
const FIRST = new Uint32Array(8);

// The constants are the fractions of the roots of the first primes.
let found = 0;
for (let candidate = 2; found < 64; candidate += 1) {
  let isPrime = true;
  for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) if (candidate % divisor === 0) isPrime = false;
  if (!isPrime) continue;
  const fraction = (root: number) => ((root - Math.floor(root)) * 2 ** 32) | 0;
  if (found < 8) FIRST[found] = fraction(candidate ** (1 / 2));
  K[found] = fraction(candidate ** (1 / 3));
  found += 1;
}

const encoder = new TextEncoder();

/** The SHA-256 of a text in UTF-8, in hexadecimal. */
export function sha256(text: string): string {
  const content = encoder.encode(text);
  const length = content.length;
  const blocks = new Uint8Array(((length + 8) >> 6 << 6) + 64);
  blocks.set(content);
  blocks[length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setUint32(blocks.length - 8, Math.floor(length / 2 ** 29));
  view.setUint32(blocks.length - 4, length << 3);
  const hash = Uint32Array.from(FIRST);
  const words = new Uint32Array(64);
  for (let at = 0; at < blocks.length; at += 64) {
    for (let index = 0; index < 16; index += 1) words[index] = view.getUint32(at + index * 4);
    round(hash, words);
  }
  return Array.from(hash, (word) => word.toString(16).padStart(8, "0")).join("");
}

function round(hash: Uint32Array, words: Uint32Array): void {
  const rotate = (value: number, by: number) => (value >>> by) | (value << (32 - by));
  for (let index = 16; index < 64; index += 1) {
    const x = words[index - 15]!;
    const y = words[index - 2]!;
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    words[index] = (words[index - 16]! + s0 + words[index - 7]! + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = hash as unknown as [number, number, number, number, number, number, number, number];
  for (let index = 0; index < 64; index += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[index]! + words[index]!) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, index) => (hash[index] = (hash[index]! + value) | 0));
}

const known = new Map<string, string>();
// Characters of texts that are kept with their hashes.
const KNOWN_MAX = 16_000_000;
let kept = 0;

/** The same, computed once for a text. A chat is hashed at every event, and almost all of its texts are the same as before. */
export function hashOf(text: string): string {
  let hash = known.get(text);
  if (hash === undefined) {
    hash = sha256(text);
    if (kept + text.length > KNOWN_MAX) {
      known.clear();
      kept = 0;
    }
    known.set(text, hash);
    kept += text.length;
  }
  return hash;
}
