// For: tests of the page alone. Stands in the place of core.js and does what the test says: scenario.json is the view and
// the answers to begin with; a message from the relay is base64url of JSON {actions, view}.

export class CoreError extends Error {}
export const uptime = () => Math.floor(performance.now());

export class Core {
  #scenario;
  #commands = 0;

  static async load() {
    const core = new Core();
    core.#scenario = await (await fetch('scenario.json')).json();
    return core;
  }

  call(what, details = {}) {
    const scenario = this.#scenario;
    if (scenario.errors?.[what]) throw new CoreError(scenario.errors[what]);
    switch (what) {
      case 'view': return scenario.view;
      case 'pair': return { frame: 'frame-1', servers: scenario.servers, topicUp: 'up', topicDown: 'down', next: null };
      case 'pairFrame': return details.e === 'frame-2' ? { digits: '123456', site: scenario.view.site } : {};
      case 'keep': return { secrets: 'secrets', memory: 'memory' };
      case 'received': return this.#received(details.e);
      case 'give': return this.#give(details.command);
      case 'signed': return this.#signed(details);
      case 'list': return this.#list(details.list);
      // What the box answers is said by the test.
      case 'picture': return { actions: [{ a: 'send', e: `picture-${details.time}-${details.mark}` }], next: null };
      case 'address': return { actions: [{ a: 'send', e: `address-${details.kind}` }], next: null };
      default: return { actions: [], next: null };
    }
  }

  #received(e) {
    const told = JSON.parse(decodeURIComponent(escape(atob(e.replaceAll('-', '+').replaceAll('_', '/')))));
    Object.assign(this.#scenario.view, told.view ?? {});
    return { actions: told.actions ?? [], next: null };
  }

  #list(list) {
    const rows = this.#scenario.lists?.[list];
    return { actions: rows ? [{ a: 'listed', list, rows, refused: false }] : [], next: null };
  }

  #give(command) {
    this.#commands += 1;
    const key = command.force || ['disarm', 'bypass', 'output', 'suspend'].includes(command.verb) ? 2 : 1;
    const record = { id: this.#commands, command, counter: 1, time: Math.floor(Date.now() / 1000), outcome: 'pending' };
    this.#scenario.view.commands.push(record);
    return { actions: [{ a: 'store', memory: `memory-${this.#commands}`, rows: [] }, { a: 'sign', id: this.#commands, key, bytes: 'Ynl0ZXM' }], next: null };
  }

  #signed({ id, signature }) {
    const record = this.#scenario.view.commands.find((each) => each.id === id);
    if (!signature) Object.assign(record, { outcome: 'failed', why: 'not signed' });
    const actions = signature ? [{ a: 'send', e: `command-${record.command.verb}-${signature}` }] : [];
    return { actions: [...actions, { a: 'command', command: record }], next: null };
  }
}
