// For: the lives that the host's AppCore has lived (AppLifeTests, HOWALARMING_APP_TRACE), again in core.wasm: every answer
//      has to be the same, byte by byte.
// Usage: node tools/lib/core/replay.mjs CORE.WASM FOLDER     called by tools/lib/core-replay
// Exit:  0 all are the same · 1 one is not (life, call and both answers' digests are named), or there was nothing to compare

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";

const [core, folder] = process.argv.slice(2);
const module = await WebAssembly.compile(readFileSync(core));
const encoder = new TextEncoder();
let calls = 0;
let slowest = 0;
let spent = 0;
let largest = 0;

class Instance {
    constructor() {
        this.random = [];
        this.exports = new WebAssembly.Instance(module, {
            page: { random: (place, count) => this.draw(place, count) },
        }).exports;
    }

    draw(place, count) {
        const bytes = Buffer.from(this.random.shift() ?? "", "hex");
        if (bytes.length !== count) throw new Error(`${count} random bytes were drawn, the host drew ${bytes.length}`);
        new Uint8Array(this.exports.memory.buffer, place, count).set(bytes);
    }

    call(text) {
        const { memory, reserve, call, answer } = this.exports;
        const bytes = encoder.encode(text);
        // The memory may grow: the buffer is asked for afterwards.
        const place = reserve(bytes.length);
        new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
        const begin = performance.now();
        const count = call(bytes.length);
        const span = performance.now() - begin;
        spent += span;
        slowest = Math.max(slowest, span);
        largest = Math.max(largest, memory.buffer.byteLength);
        const told = answer();
        return Buffer.from(new Uint8Array(memory.buffer, told, count));
    }
}

function live(name) {
    let instance = new Instance();
    const lines = readFileSync(`${folder}/${name}`, "utf8").trimEnd().split("\n");
    for (const [index, line] of lines.entries()) {
        const step = JSON.parse(line);
        if (step.new) {
            instance = new Instance();
            continue;
        }
        instance.random = step.random;
        const answer = instance.call(step.call);
        const digest = createHash("sha256").update(answer).digest("hex");
        calls += 1;
        if (digest !== step.digest || instance.random.length > 0) {
            console.error(`${name}, line ${index + 1}: ${step.call.slice(0, 300)}`);
            console.error(`core.wasm answered ${answer.subarray(0, 300)}`);
            process.exit(1);
        }
    }
}

const names = readdirSync(folder).filter((name) => name.endsWith(".trace")).sort();
for (const name of names) live(name);
if (calls === 0) {
    console.error("there is nothing to compare");
    process.exit(1);
}
console.log(
    `core.wasm: ${calls} calls of ${names.length} lives answered as on the host; ` +
        `${(spent / calls).toFixed(2)} ms each, the slowest ${slowest.toFixed(1)} ms, ${largest / 1024} KiB of memory`,
);
