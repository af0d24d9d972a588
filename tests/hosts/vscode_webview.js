/** In the webview: VS Code's own widget manager, with a kernel whose socket leads to the extension. */
import { ServerConnection } from "@jupyterlab/services";
import { KernelConnection } from "@jupyterlab/services/lib/kernel/default";
import { activate } from "./ipywidgets.js";

const WIDGET = "application/vnd.jupyter.widget-view+json";
const ANYWIDGET = "nbextensions/anywidget/index";
const post = (type, payload) => parent.postMessage({ type, payload }, "*");
const shown = new Map();
/** By model: resolved once the kernel has said that it is to be shown, which follows all that makes it. */
const announced = new Map();
let socket = null;
let kernel = null;
let manager = null;

class Socket {
  constructor() {
    socket = this;
    this.protocol = "";
    this.isOn = true;
  }
  close() {}
  send(data) {
    if (!this.isOn) return;
    if (typeof data === "string") post("IPyWidgets_msg", data);
    else post("IPyWidgets_binary_msg", [[...new Uint8Array(data)]]);
  }
}

/** What comes from the kernel waits in line: the socket of a page hands on one message after the other. */
const receive = (data) => socket.onmessage({ target: socket, data, type: "" });

const scripts = {
  widgetsRegisteredInRequireJs: new Set(),
  errorHandler: (name, module, version, error) => console.error("could not load", module, version, error),
  successHandler() {},
  async loadWidgetScript(module) {
    if (module !== "anywidget") return;
    requirejs.config({ paths: { anywidget: ANYWIDGET } });
    this.widgetsRegisteredInRequireJs.add(module);
  },
};

function announcement(id) {
  if (!announced.has(id)) announced.set(id, Promise.withResolvers());
  return announced.get(id);
}

function start({ clientId, userName, model }) {
  const serverSettings = ServerConnection.makeSettings({ WebSocket: Socket, wsUrl: "ws://none" });
  kernel = new KernelConnection({ serverSettings, clientId, username: userName, handleComms: true, model });
  socket.onopen({ target: socket });
  manager = new window.vscIPyWidgets.WidgetManager(kernel, undefined, scripts, () => {}, undefined);
  kernel.iopubMessage.connect(async (_, { content }) => {
    const id = content.data?.[WIDGET]?.model_id;
    if (id === undefined) return;
    await manager.get_model(id);
    announcement(id).resolve();
  });
}

async function show({ id, top, data }) {
  const model = data[WIDGET].model_id;
  const box = document.createElement("div");
  box.className = "output_container cell-output-ipywidget-background";
  box.style.top = `${top}px`;
  document.getElementById("container").append(box);
  await announcement(model).promise;
  const view = await manager.create_view(await manager.get_model(model), { el: box });
  shown.set(id, await manager.display_view(data[WIDGET], view, { node: box }));
}

/** Ask the kernel for all widgets, as a page does that is opened when they are there. */
window.restore = async () => {
  await manager._loadFromKernel();
  for (const id of Object.keys(await manager._get_comm_info())) announcement(id).resolve();
};

window.addEventListener("message", ({ data: { type, payload } }) => {
  if (type === "IPyWidgets_kernelOptions") start(payload);
  else if (type === "IPyWidgets_msg") receive(payload.data);
  else if (type === "IPyWidgets_binary_msg") receive(new Uint8Array(payload.data[0]).buffer);
  else if (type === "IPyWidgets_mirror_execute") {
    socket.isOn = false;
    kernel.sendShellMessage(payload.msg, false, payload.msg.content.silent);
    socket.isOn = true;
    post("mirrored", payload.id);
  } else if (type === "showOutput") void show(payload);
  else if (type === "IPyWidgets_onRestartKernel") {
    manager.dispose();
    kernel.dispose();
  }
});

/** The name of each file that a link in the page would save, where the extension shows a dialog. */
window.saved = [];
document.body.addEventListener("click", (event) => {
  const link = event.composedPath().find((one) => one instanceof HTMLAnchorElement && one.href.startsWith("blob:"));
  if (link) window.saved.push(link.download);
});

activate();
window.vscIPyWidgets8.load();
post("IPyWidgets_Ready");
