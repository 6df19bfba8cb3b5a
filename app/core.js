// For: the app's core, which is the phone's half of HowAlarming compiled to WebAssembly: JSON in, JSON out.
// Guarantees: one instance holds one house; the core gets its random bytes from the browser and nothing else.
// Knows nothing of: storage, the network, keys, screens.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What the core says cannot be done; the message is for the screen. */
export class CoreError extends Error {}

let compiled;

/** Fetched as bytes: many static hosts serve .wasm under a type that streaming compilation refuses. */
function compile() {
  compiled ??= fetch(new URL('core.wasm', import.meta.url))
    .then((answer) => {
      if (!answer.ok) throw new Error(`core.wasm: ${answer.status}`);
      return answer.arrayBuffer();
    })
    .then((bytes) => WebAssembly.compile(bytes))
    .catch((problem) => {
      compiled = undefined;
      throw problem;
    });
  return compiled;
}

/** Milliseconds that never run backwards while this page lives. */
export const uptime = () => Math.floor(performance.now());

export class Core {
  #exports;

  static async load() {
    const core = new Core();
    const module = await compile();
    const random = (pointer, count) => {
      const memory = new Uint8Array(core.#exports.memory.buffer, pointer, count);
      // The browser gives at most 65536 bytes at once.
      for (let at = 0; at < count; at += 65536) {
        crypto.getRandomValues(memory.subarray(at, Math.min(count, at + 65536)));
      }
    };
    const instance = await WebAssembly.instantiate(module, { page: { random } });
    core.#exports = instance.exports;
    core.#exports._initialize?.();
    return core;
  }

  /** Tells the core to do `what`; throws CoreError with its own words. */
  call(what, details = {}) {
    const input = encoder.encode(
      JSON.stringify({ ...details, do: what, wall: Math.floor(Date.now() / 1000), up: uptime() }),
    );
    const wasm = this.#exports;
    const pointer = wasm.reserve(input.length);
    new Uint8Array(wasm.memory.buffer, pointer, input.length).set(input);
    const length = wasm.call(input.length);
    // The call may have made the memory larger, which makes it another buffer.
    const answer = JSON.parse(decoder.decode(new Uint8Array(wasm.memory.buffer, wasm.answer(), length)));
    if (answer.error) throw new CoreError(answer.error);
    return answer;
  }
}
