// Runs a pattern on a text, apart from the page: a bad pattern can take for ever, and the page then ends this worker.

import { find, type PatternRequest } from "./pattern.ts";

self.onmessage = ({ data }: MessageEvent<PatternRequest>) => self.postMessage(find(data));
