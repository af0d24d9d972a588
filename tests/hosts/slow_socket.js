/** Before all scripts of a page: a proxy between it and its kernels, as hubs and services have them. It holds each message back, keeps
 * their order, takes none over a limit, drops the connection, and counts of each message how many round trips it came after. */
(() => {
  const slow = { ms: 0, most: Infinity, refused: [], sockets: new Set(), sent: [], received: [], depth: 0, asked: 0 };
  /** With a message of this kind the connection is lost, and while it is down no new one comes up. */
  Object.assign(slow, { dropAt: "", isDown: false });
  globalThis.cxgSlow = slow;
  /** Count anew: the next message to a kernel begins the first round trip. */
  slow.reset = () => Object.assign(slow, { sent: [], received: [], refused: [], depth: 0, asked: 0 });
  const drops = (kind) => {
    if (kind === null || kind !== slow.dropAt) return false;
    Object.assign(slow, { dropAt: "", isDown: true });
    slow.sockets.forEach((one) => (one.lose(), one.close()));
    return true;
  };

  /** Kind and panel of what a widget says, or the method of its comm; null of other messages. */
  function kindOf(data) {
    if (typeof data === "string") return null;
    const view = new DataView(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);
    const offset = (n) => Number(view.getBigUint64(8 * (n + 1), true));
    const part = (n) => new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + offset(n), offset(n + 1) - offset(n)));
    if (JSON.parse(part(1)).msg_type !== "comm_msg") return null;
    const { data: said } = JSON.parse(part(4));
    return said.method === "custom" ? said.content.kind : said.method;
  }

  const Real = globalThis.WebSocket;
  globalThis.WebSocket = class extends Real {
    #last = { out: Promise.resolve(), in: Promise.resolve() };
    #isLost = false;
    constructor(...given) {
      super(...given);
      if (!String(given[0]).includes("/channels")) return;
      if (slow.isDown) this.close();
      slow.sockets.add(this);
      this.addEventListener("close", () => slow.sockets.delete(this));
    }
    /** What is on its way is lost. */
    lose() {
      this.#isLost = true;
    }
    #pass(way, data, on) {
      if (data.byteLength > slow.most) return void slow.refused.push([way, kindOf(data), data.byteLength]);
      const due = new Promise((done) => setTimeout(done, slow.ms));
      this.#last[way] = Promise.all([this.#last[way], due]).then(() => this.#isLost || on());
    }
    send(data) {
      const kind = slow.sockets.has(this) ? kindOf(data) : null;
      if (kind !== null) {
        slow.asked = slow.depth + 1;
        slow.sent.push([kind, data.byteLength, slow.asked]);
      }
      if (drops(kind)) return;
      this.#pass("out", data, () => super.send(data));
    }
    get onmessage() {
      return super.onmessage;
    }
    set onmessage(hear) {
      super.onmessage = hear && ((event) =>
        this.#pass("in", event.data, () => {
          const kind = slow.sockets.has(this) ? kindOf(event.data) : null;
          if (drops(kind)) return;
          if (kind !== null) {
            slow.depth = Math.max(slow.depth, slow.asked);
            slow.received.push([kind, event.data.byteLength, slow.depth]);
          }
          hear.call(this, event);
        }));
    }
  };
})();
