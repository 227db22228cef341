// Looks at pages in a real browser: node check.mjs BROWSER PAGE... [--shots FOLDER]
//
// Of every page, light and dark, at 360 and 1280 px and on A4 paper: it is not blank, asks for nothing, breaks no
// policy of its own, scrolls sideways nowhere, and no text runs out of its box or over another text of a picture.
// Speaks the DevTools protocol over a pipe, so that nothing has to be installed beside the browser.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [browser, ...rest] = process.argv.slice(2);
const at = rest.indexOf("--shots");
const shots = at < 0 ? null : rest.splice(at, 2)[1];
if (shots) mkdirSync(shots, { recursive: true });

// A4 less margins of 15 mm, in CSS pixels.
const PAPER = 680;
const VIEWS = [
  { name: "narrow-light", width: 360, scheme: "light" },
  { name: "narrow-dark", width: 360, scheme: "dark" },
  { name: "wide-light", width: 1280, scheme: "light" },
  { name: "wide-dark", width: 1280, scheme: "dark" },
  { name: "print", width: PAPER, scheme: "light", media: "print" },
  { name: "print-dark", width: PAPER, scheme: "dark", media: "print" },
];

// A browser that hangs is a failure, not a wait.
function inTime(promise, what) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`no answer to ${what}`)), 30_000); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

class Browser {
  constructor(path) {
    this.profile = mkdtempSync(join(tmpdir(), "pages-"));
    const flags = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
      "--disable-background-networking", "--disable-renderer-backgrounding", "--disable-dev-shm-usage", `--user-data-dir=${this.profile}`];
    this.process = spawn(path, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.process.on("error", (error) => this.fail(error));
    this.process.on("exit", (code) => this.fail(new Error(`the browser ended with ${code}`)));
    [this.next, this.waiting, this.heard] = [1, new Map(), []];
    let text = "";
    this.process.stdio[4].setEncoding("utf8").on("data", (data) => {
      const messages = (text + data).split("\0");
      text = messages.pop();
      messages.forEach((message) => this.take(JSON.parse(message)));
    });
  }

  fail(error) {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  take(message) {
    const asked = this.waiting.get(message.id);
    if (!asked) return this.heard.forEach((hear) => hear(message));
    this.waiting.delete(message.id);
    message.error ? asked.reject(new Error(JSON.stringify(message.error))) : asked.resolve(message.result);
  }

  ask(method, params = {}, sessionId) {
    const id = this.next++;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    return inTime(answer, method);
  }

  until(method, sessionId) {
    const heard = new Promise((resolve) => {
      const hear = (message) => {
        if (message.method !== method || message.sessionId !== sessionId) return;
        this.heard = this.heard.filter((other) => other !== hear);
        resolve(message.params);
      };
      this.heard.push(hear);
    });
    return inTime(heard, method);
  }

  async tab() {
    const { targetId } = await this.ask("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.ask("Target.attachToTarget", { targetId, flatten: true });
    const ask = (method, params) => this.ask(method, params, sessionId);
    const evaluate = async (source, ...args) => {
      const expression = `(${source})(...${JSON.stringify(args)})`;
      const done = await ask("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
      if (done.exceptionDetails) throw new Error(done.exceptionDetails.exception?.description ?? "evaluation failed");
      return done.result.value;
    };
    return { ask, evaluate, sessionId };
  }

  async close() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    await this.ask("Browser.close").catch(() => {});
    await inTime(ended, "Browser.close").catch(() => this.process.kill("SIGKILL"));
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

// Runs inside the page: what is wrong with its layout.
function layout(width) {
  const wrong = [];
  const root = document.documentElement;
  if (root.scrollWidth > width) wrong.push(`it scrolls sideways: ${root.scrollWidth} of ${width} px`);
  if (document.body.innerText.trim().length < 100) wrong.push("it holds next to no text");
  if (getComputedStyle(document.body).maxWidth === "none" && !matchMedia("print").matches) wrong.push("it has no style");
  const name = (element) => `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""}`;
  for (const element of document.body.querySelectorAll("*")) {
    if (element.closest("svg") && element.tagName !== "svg") continue;
    const box = element.getBoundingClientRect();
    if (box.width > 0 && (box.right > width + 0.5 || box.left < -0.5)) wrong.push(`${name(element)} leaves the page`);
    const clips = ["hidden", "clip"].includes(getComputedStyle(element).overflowX) && element.tagName !== "svg";
    const hidden = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
    if (hidden && getComputedStyle(element).display !== "inline" && element.tagName !== "svg") {
      wrong.push(`${name(element)} has content wider than itself`);
    }
    if (clips) wrong.push(`${name(element)} may clip`);
  }
  for (const svg of document.querySelectorAll("svg.picture")) {
    if (svg.getBoundingClientRect().width === 0) continue;
    const frame = svg.viewBox.baseVal;
    const boxes = [...svg.querySelectorAll("text")].map((text) => ({ text: text.textContent, box: text.getBBox() }));
    for (const { text, box } of boxes) {
      const inside = box.x >= -1 && box.y >= -1 && box.x + box.width <= frame.width + 1 && box.y + box.height <= frame.height + 1;
      if (!inside) wrong.push(`the text "${text}" leaves its picture`);
    }
    boxes.forEach((one, index) => boxes.slice(index + 1).forEach((two) => {
      const [a, b] = [one.box, two.box];
      const apart = a.x + a.width <= b.x + 0.5 || b.x + b.width <= a.x + 0.5
        || a.y + a.height <= b.y + 3 || b.y + b.height <= a.y + 3;
      if (!apart) wrong.push(`the texts "${one.text}" and "${two.text}" overlap`);
    }));
    // Patterns are not drawn where their definition is not rendered.
    const lost = [...svg.querySelectorAll("[fill^='url(']")].find((shape) =>
      !document.getElementById(shape.getAttribute("fill").slice(5, -1)));
    if (lost) wrong.push("a pattern is missing");
  }
  return [...new Set(wrong)];
}

// Runs inside an empty page: how many pixels differ from the first one, and its colour.
async function ink(data) {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  // An <img> is not decoded in a tab that is not shown; this is.
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  const pixels = canvas.getImageData(0, 0, image.width, image.height).data;
  let differ = 0;
  for (let i = 0; i < pixels.length; i += 4) {
    if (pixels[i] !== pixels[0] || pixels[i + 1] !== pixels[1] || pixels[i + 2] !== pixels[2]) differ++;
  }
  return { share: differ / (pixels.length / 4), light: pixels[0] > 128 };
}

async function look(browser, tab, empty, page, view) {
  const wrong = [];
  const url = pathToFileURL(resolve(page)).href;
  const hear = ({ method, params, sessionId }) => {
    if (sessionId !== tab.sessionId) return;
    if (method === "Network.requestWillBeSent" && params.request.url !== url) wrong.push(`it asks for ${params.request.url}`);
    if (method === "Log.entryAdded") wrong.push(`the browser says: ${params.entry.text}`);
  };
  browser.heard.push(hear);
  const { width } = view;
  await tab.ask("Page.bringToFront");
  await tab.ask("Emulation.setDeviceMetricsOverride", { width, height: 800, deviceScaleFactor: 1, mobile: width < 500 });
  await tab.ask("Emulation.setEmulatedMedia", {
    media: view.media ?? "", features: [{ name: "prefers-color-scheme", value: view.scheme }],
  });
  const loaded = browser.until("Page.loadEventFired", tab.sessionId);
  await tab.ask("Page.navigate", { url });
  await loaded;
  wrong.push(...await tab.evaluate(layout.toString(), width));
  const { cssContentSize } = await tab.ask("Page.getLayoutMetrics");
  // A page of a thousand findings is too long for one picture.
  const clip = { x: 0, y: 0, width, height: Math.min(cssContentSize.height, 4000), scale: 1 };
  const { data } = await tab.ask("Page.captureScreenshot", { format: "png", captureBeyondViewport: true, clip });
  const { share, light } = await empty.evaluate(ink.toString(), data);
  if (share < 0.01) wrong.push("it is blank");
  if (light !== (view.scheme === "light" || view.media === "print")) wrong.push(`its ground does not fit ${view.scheme}`);
  const save = (data, ending) => {
    if (shots) writeFileSync(join(shots, `${basename(page, ".html")}-${view.name}.${ending}`), Buffer.from(data, "base64"));
  };
  save(data, "png");
  if (view.media === "print" && view.scheme === "light") {
    const { data } = await tab.ask("Page.printToPDF", { preferCSSPageSize: true, printBackground: true });
    if (!Buffer.from(data, "base64").subarray(0, 5).equals(Buffer.from("%PDF-"))) wrong.push("it cannot be printed");
    save(data, "pdf");
  }
  browser.heard = browser.heard.filter((other) => other !== hear);
  return wrong;
}

const running = new Browser(browser);
let failed = false;
try {
  const [tab, empty] = [await running.tab(), await running.tab()];
  for (const domain of ["Page", "Network", "Runtime", "Log"]) await tab.ask(`${domain}.enable`);
  await tab.ask("Network.setCacheDisabled", { cacheDisabled: true });
  for (const page of rest) {
    for (const view of VIEWS) {
      const wrong = await look(running, tab, empty, page, view);
      failed ||= wrong.length > 0;
      wrong.forEach((what) => console.log(`${basename(page)}, ${view.name}: ${what}`));
    }
  }
} finally {
  await running.close();
}
process.exitCode = failed ? 1 : 0;
