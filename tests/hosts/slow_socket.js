/** Before all scripts of a page: a proxy between it and its kernels, as hubs and services have them. It holds each message back, keeps
 * their order, takes none over a limit, drops the connection, and counts of each message how many round trips it came after. Those of
 * widgets it passes one at a time, as Colab and Databricks do: the next begins its way when the one before has arrived. */
(() => {
  const slow = { ms: 0, most: Infinity, refused: [], sockets: new Set() };
  /** With a message of this kind the connection is lost, and while it is down no new one comes up. */
  Object.assign(slow, { dropAt: "", isDown: false });
  globalThis.cxgSlow = slow;
  /** Count anew: the next message to a kernel begins the first round trip. What answers none counts as 0. */
  slow.reset = () => Object.assign(slow, { sent: [], received: [], trips: new Map(), depth: 0 });
  slow.reset();
  const drops = (said) => {
    if (said === null || said.kind !== slow.dropAt) return false;
    Object.assign(slow, { dropAt: "", isDown: true });
    slow.sockets.forEach((one) => (one.lose(), one.close()));
    return true;
  };

  /** What a widget says: its kind, or the method of its comm ("still": the picture for readers without a kernel), its id and that of
   * the message it answers; null of other messages. */
  function saidBy(data) {
    if (typeof data === "string") return null;
    const view = new DataView(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);
    const offset = (n) => Number(view.getBigUint64(8 * (n + 1), true));
    const part = (n) => JSON.parse(new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + offset(n), offset(n + 1) - offset(n))));
    const { msg_type: type, msg_id: id } = part(1);
    if (type !== "comm_msg") return null;
    const { method, content, state } = part(4).data;
    const kind = method === "custom" ? content.kind : state && "_snapshot" in state ? "still" : method;
    return { kind, id, of: part(2).msg_id };
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
    #pass(way, data, said, on) {
      if (data.byteLength > slow.most) return void slow.refused.push([way, said?.kind, data.byteLength]);
      const wait = () => new Promise((done) => setTimeout(done, slow.ms));
      const last = this.#last[way];
      const due = said === null ? Promise.all([last, wait()]) : last.then(wait);
      this.#last[way] = due.then(() => this.#isLost || on());
    }
    send(data) {
      const said = slow.sockets.has(this) ? saidBy(data) : null;
      if (said !== null) {
        slow.trips.set(said.id, slow.depth + 1);
        slow.sent.push([said.kind, data.byteLength]);
      }
      if (drops(said)) return;
      this.#pass("out", data, said, () => super.send(data));
    }
    get onmessage() {
      return super.onmessage;
    }
    set onmessage(hear) {
      super.onmessage = hear && ((event) => {
        const said = slow.sockets.has(this) ? saidBy(event.data) : null;
        this.#pass("in", event.data, said, () => {
          if (drops(said)) return;
          if (said !== null) {
            const trips = slow.trips.get(said.of) ?? 0;
            slow.depth = Math.max(slow.depth, trips);
            slow.received.push([said.kind, event.data.byteLength, trips]);
          }
          hear.call(this, event);
        });
      });
    }
  };
})();
