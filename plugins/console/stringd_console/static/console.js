// The script of all pages: applies changes that the daemon sends, and sends what the person does.
// The daemon renders all HTML and escapes all texts in it; this script never makes markup of texts.

// Not all browsers have Trusted Types.
const RULES = { createHTML: (html) => html };
const policy = globalThis.trustedTypes?.createPolicy("stringd", RULES) ?? RULES;
const KEY = "stringd.console.key";
const FILTERED = "data-filtered-out";
const byId = (id) => document.getElementById(id);

// --- signing in --------------------------------------------------------------------------------------------------

const ticket = new URLSearchParams(location.hash.slice(1)).get("token");
if (ticket) history.replaceState(null, "", location.pathname + location.search);

// Other ports of this machine get the cookie, too; the key stays with this origin.
const withKey = () => ({ "X-Console-Key": localStorage.getItem(KEY) ?? "" });

/** Exchange the ticket of the link for a cookie and a key; return what is wrong with it. */
async function signIn() {
  const response = await fetch("/console/sign-in", { method: "POST", body: JSON.stringify({ ticket }) });
  const answer = await response.json();
  if (!response.ok) return answer.error;
  localStorage.setItem(KEY, answer.key);
  return "";
}

/** Put the page in place of the empty one that the browser was given when it sent only its cookie. */
async function openPage() {
  const response = await fetch(location.href, { headers: withKey() });
  const page = new DOMParser().parseFromString(policy.createHTML(await response.text()), "text/html");
  document.title = page.title;
  document.body.replaceWith(page.body);
  byId(location.hash.slice(1))?.scrollIntoView();
  document.querySelector("[autofocus]")?.focus();
}

async function enter() {
  const failure = ticket ? await signIn() : "";
  if ("opensPage" in document.body.dataset) await openPage();
  else if (ticket && !failure) { location.reload(); return; }
  if (byId("connection")) begin();
  if (!failure) return;
  const shown = byId("sign-in-failure");
  if (!shown) { notify(failure, true); return; }
  shown.textContent = failure;
  shown.hidden = false;
}

// --- changes -----------------------------------------------------------------------------------------------------

function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = policy.createHTML(html);
  return template.content;
}

/** Make an element's children like those of another one, and keep what the person has focused, typed or opened. */
function morphChildren(from, to) {
  const keyed = new Map();
  for (const child of from.children) if (child.dataset.key) keyed.set(child.dataset.key, child);
  let cursor = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    const known = wanted.dataset?.key ? keyed.get(wanted.dataset.key) : undefined;
    if (known && known !== cursor) {
      from.insertBefore(known, cursor);
      morph(known, wanted);
    } else if (cursor && (known || isAlike(cursor, wanted))) {
      const next = cursor.nextSibling;
      morph(cursor, wanted);
      cursor = next;
    } else {
      from.insertBefore(wanted, cursor);
    }
  }
  while (cursor) {
    const next = cursor.nextSibling;
    cursor.remove();
    cursor = next;
  }
}

function isAlike(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && one.dataset?.key === other.dataset?.key;
}

function morph(from, to) {
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  if (from.isEqualNode(to) || from.dataset.kept !== undefined) return;
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !(name === "open" || name === FILTERED)) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  morphChildren(from, to);
}

function applyItems(region, { items, order }) {
  const known = new Map([...region.children].map((it) => [it.dataset.key, it]));
  for (const [key, html] of Object.entries(items)) {
    const made = parsed(html).firstElementChild;
    if (known.has(key)) morph(known.get(key), made);
    else known.set(key, made);
  }
  if (!order) return;
  let cursor = region.firstElementChild;
  const kept = new Set(order);
  for (const child of [...region.children]) {
    if (!kept.has(child.dataset.key)) {
      if (child === cursor) cursor = cursor.nextElementSibling;
      child.remove();
    }
  }
  for (const key of order) {
    const item = known.get(key);
    if (item === cursor) cursor = cursor.nextElementSibling;
    else if (item.parentNode === region && region.moveBefore) region.moveBefore(item, cursor);
    else region.insertBefore(item, cursor);
  }
}

function applyPatch(patch) {
  for (const [name, change] of Object.entries(patch)) {
    const region = document.querySelector(`[data-region="${CSS.escape(name)}"]`);
    if (!region) continue;
    const frame = region.closest("[data-follows]");
    const follows = frame && isAtEnd(frame);
    if (typeof change === "string") morphChildren(region, parsed(change));
    else applyItems(region, change);
    decorate(region);
    if (follows) followEnd(frame);
    else if (frame) showBehind(frame);
    region.dispatchEvent(new CustomEvent("patched", { bubbles: true }));
  }
}

// --- regions that follow their end, and times that pass ------------------------------------------------------------

const isAtEnd = (region) => region.scrollHeight - region.scrollTop - region.clientHeight < 40;

function followEnd(region) {
  region.scrollTop = region.scrollHeight;
  showBehind(region);
}

/** Offer the way to the end to whoever has scrolled up. */
function showBehind(region) {
  const button = document.querySelector(`[data-follows-end="${CSS.escape(region.id)}"]`);
  if (button) button.hidden = isAtEnd(region);
}

function showAges(root) {
  for (const time of root.querySelectorAll("time[data-since]")) {
    const seconds = Math.max(0, Math.round((Date.now() - new Date(time.dataset.since)) / 1000));
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    time.textContent = hours ? `${hours} h ${minutes} min` : minutes ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
  }
}

/** Show what the daemon cannot know: times of this time zone, and the filter that the person has typed. */
function decorate(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([title])")) {
    const when = new Date(time.dateTime);
    time.title = when.toLocaleString();
    time.textContent = new Date().toDateString() === when.toDateString() ? when.toLocaleTimeString() : when.toLocaleString();
  }
  showAges(root);
  for (const own of root.querySelectorAll("[data-own]")) own.hidden = own.dataset.own !== document.body.dataset.browser;
  for (const input of document.querySelectorAll("input[data-filters]")) filter(input);
}

function filter(input) {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const item of byId(input.dataset.filters)?.children ?? []) {
    const text = (item.dataset.words ?? item.textContent).toLowerCase();
    item.toggleAttribute(FILTERED, !words.every((word) => text.includes(word)));
  }
  for (const heading of byId(input.dataset.filters)?.querySelectorAll("[data-heads]") ?? []) {
    let item = heading.nextElementSibling;
    while (item?.hasAttribute(FILTERED) && item.dataset.heads === undefined) item = item.nextElementSibling;
    heading.toggleAttribute(FILTERED, !item || item.dataset.heads !== undefined);
  }
}

// --- the connection ----------------------------------------------------------------------------------------------

// The daemon sends at least a comment every 15 s.
const SILENCE = 45000;
let lostAt = 0;
let leaves = false;

async function connect() {
  let status = 0;
  try {
    status = await follow();
  } catch {
    // The daemon is gone, or says nothing.
  }
  if (leaves) return;
  disconnected();
  if (status === 401) showAway("The daemon has been restarted, or this browser was signed out. Type `stringd console` in a terminal for a new link.");
  else if (status === 404) showAway("What this page showed is not there any more.");
  else setTimeout(connect, 1000);
}

/** Apply the changes that the daemon sends, until the connection ends; an EventSource could not send the key. */
async function follow() {
  const query = new URLSearchParams(location.search);
  query.set("path", location.pathname);
  query.set("known", document.body.dataset.known);
  const controller = new AbortController();
  let silence = setTimeout(() => controller.abort(), SILENCE);
  const response = await fetch(`/console/live?${query}`, { headers: withKey(), signal: controller.signal });
  if (!response.ok) return response.status;
  connected();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = "";;) {
    const { value, done } = await reader.read();
    if (done) return response.status;
    clearTimeout(silence);
    silence = setTimeout(() => controller.abort(), SILENCE);
    const events = (text + value).split("\n\n");
    text = events.pop();
    for (const event of events) {
      const [kind, data] = event.split("\ndata: ");
      if (kind === "event: patch") applyPatch(JSON.parse(data));
    }
  }
}

function connected() {
  document.body.dataset.known = "";
  const state = byId("connection");
  state.textContent = "Live";
  performance.mark("live");
  state.className = "is-live";
  if (lostAt) {
    const seconds = Math.max(1, Math.round((Date.now() - lostAt) / 1000));
    showAway(`The connection was lost for ${seconds} s; the page is up to date again.`);
    setTimeout(() => { if (!lostAt) byId("away").hidden = true; }, 8000);
    lostAt = 0;
  }
}

function disconnected() {
  lostAt ||= Date.now();
  const state = byId("connection");
  state.textContent = "Away";
  state.className = "is-lost";
  showAway("The connection to the daemon is lost; trying again…");
}

function showAway(text) {
  const away = byId("away");
  away.textContent = text;
  away.hidden = false;
}

// --- what waits for the person -----------------------------------------------------------------------------------

let pageTitle;
let seen;

function showWaiting() {
  const waiting = [...byId("waiting").querySelectorAll("[data-id]")];
  document.title = waiting.length ? `(${waiting.length}) ${pageTitle}` : pageTitle;
  document.querySelector("link[rel=icon]").href = `/console/static/icon${waiting.length ? "-waiting" : ""}.svg`;
  const fresh = seen ? waiting.filter((it) => !seen.has(it.dataset.id)) : [];
  seen = new Set(waiting.map((it) => it.dataset.id));
  if (!fresh.length) return;
  if (isWanted("sound")) beep();
  if (isWanted("notification") && Notification.permission === "granted" && document.hidden) {
    const notification = new Notification("stringd waits for you", { body: fresh.at(-1).dataset.title, tag: "stringd" });
    notification.onclick = () => { window.focus(); location.assign("/console/questions"); };
  }
}

function beep() {
  const audio = new AudioContext();
  const tone = new OscillatorNode(audio, { frequency: 660 });
  const volume = new GainNode(audio, { gain: 0.08 });
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.18);
  tone.onended = () => audio.close();
}

const isWanted = (name) => localStorage.getItem(`stringd.console.${name}`) === "yes";

async function setPreference(input) {
  if (input.dataset.preference === "notification" && input.checked) {
    input.checked = (await Notification.requestPermission()) === "granted";
  }
  localStorage.setItem(`stringd.console.${input.dataset.preference}`, input.checked ? "yes" : "no");
}

// --- acting ------------------------------------------------------------------------------------------------------

/** Send an action with its fields; show its notice or its failure, and return its data. */
async function act(path, fields = {}, { quiet = false, sayer = notify } = {}) {
  const say = quiet ? () => {} : sayer;
  let response;
  try {
    response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Console-Path": location.pathname, ...withKey() },
      body: JSON.stringify(fields),
    });
  } catch {
    say("The daemon cannot be reached; nothing was sent.", true);
    return { failed: true };
  }
  const answer = await response.json().catch(() => ({ error: `The daemon answered with status ${response.status}.` }));
  if (!response.ok) say([answer.message ?? answer.error, answer.context].filter(Boolean).join("\n"), true);
  else if (answer.notice) say(answer.notice);
  if (answer.go) location.assign(answer.go);
  return { failed: !response.ok, data: answer.data };
}

/** Save what a link with the attribute `download` leads to: the browser itself would not send the key. */
async function download(link) {
  const response = await fetch(link.href, { headers: withKey() }).catch(() => null);
  if (!response?.ok) {
    const answer = await response?.json().catch(() => null);
    notify(answer?.message ?? answer?.error ?? "The daemon cannot be reached; nothing was saved.", true);
    return;
  }
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get("Content-Disposition") ?? "")?.[1];
  const saved = document.createElement("a");
  saved.href = URL.createObjectURL(await response.blob());
  saved.download = encoded ? decodeURIComponent(encoded) : link.download;
  saved.click();
  setTimeout(() => URL.revokeObjectURL(saved.href), 60000);
}

function notify(text, isFailure = false) {
  const notice = document.createElement("p");
  notice.className = isFailure ? "notice is-failure" : "notice";
  notice.textContent = text;
  byId("notices").append(notice);
  setTimeout(() => notice.remove(), isFailure ? 12000 : 5000);
}

async function submit(form, submitter) {
  const question = submitter?.dataset.confirms ?? form.dataset.confirms;
  if (question && !(await confirmed(question, submitter?.dataset.confirmsAbout))) return;
  const fields = Object.fromEntries(new FormData(form, submitter));
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  const { failed, data } = await act(submitter?.dataset.act ?? form.dataset.act, fields, { sayer: sayerOf(form) });
  for (const button of form.querySelectorAll("button")) button.disabled = false;
  const item = itemOf(form);
  if (form.dataset.resets === "always") form.reset();
  if (failed) return;
  if (item) settled.add(item.dataset.key);
  keepFocus();
  if (form.dataset.shows !== undefined) showInstead(form, data);
  if (form.dataset.resets !== undefined) {
    form.reset();
    form.querySelector("textarea")?.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

/** Have what is wrong with a form shown in a place of the page, if it has one, until it is sent again. */
function sayerOf(form) {
  const place = byId(form.dataset.reports);
  if (!place) return notify;
  place.hidden = true;
  return (text, isFailure) => {
    if (!isFailure) { notify(text); return; }
    place.textContent = text;
    place.hidden = false;
  };
}

/** Show HTML that the daemon has rendered on demand in place of what stands before a form. */
function showInstead(form, html) {
  const place = form.parentElement.querySelector("[data-shown-here]");
  place.replaceChildren(parsed(html));
  place.dataset.kept = "";
  form.remove();
  decorate(place);
}

/** Ask in a dialog of the page; what it is about stands apart, since it may be somebody else's text. */
function confirmed(question, about = "") {
  const dialog = document.createElement("dialog");
  const name = document.createElement("bdi");
  name.textContent = about;
  name.className = "confirmed";
  const text = document.createElement("p");
  text.textContent = question;
  const form = document.createElement("form");
  form.method = "dialog";
  form.className = "actions";
  for (const [value, label, kind] of [["yes", "Yes", "main"], ["", "No", ""]]) {
    const button = document.createElement("button");
    Object.assign(button, { value, textContent: label, className: kind });
    form.append(button);
  }
  dialog.append(...(about ? [name] : []), text, form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => { resolve(dialog.returnValue === "yes"); dialog.remove(); });
  });
}

// --- lists of decisions ------------------------------------------------------------------------------------------

// In a region with `data-steady`, a click or a key counts only for what the person can have seen: buttons must have
// been where they are, and an item on the screen and focused, for a while. What was typed ahead, or was meant for
// another item, does nothing.
const STEADY_MS = 400;
const SEEN_MS = 500;
const places = new WeakMap();
const seenSince = new WeakMap();
const deadlines = new Map();
const settled = new Set();
let focusedAt = 0;
let typedAt = 0;

const itemOf = (element) => element?.closest?.("[data-steady] > *");
const hasSeen = (item) => performance.now() - (seenSince.get(item) ?? Infinity) >= SEEN_MS;

function notePlaces(hasScrolled) {
  let hasMoved = false;
  for (const button of document.querySelectorAll("[data-steady] :is(button, summary)")) {
    const { left, top } = button.getBoundingClientRect();
    const known = places.get(button);
    if (known && Math.abs(known.left - left) < 2 && Math.abs(known.top - top) < 2) continue;
    hasMoved ||= !hasScrolled;
    places.set(button, { left, top, since: hasScrolled && known ? known.since : performance.now() });
  }
  if (hasMoved) showSettling();
}

let settling;

function showSettling() {
  document.body.toggleAttribute("data-settling", true);
  clearTimeout(settling);
  settling = setTimeout(() => document.body.toggleAttribute("data-settling", false), STEADY_MS);
}

/** Refuse a click on a button that has only just come under the pointer, or onto the screen. */
function guardClick(event) {
  const button = event.target.closest?.("[data-steady] :is(button, summary)");
  if (!button) return;
  const isByPointer = event.detail > 0;
  const isSteady = !isByPointer || performance.now() - (places.get(button)?.since ?? Infinity) >= STEADY_MS;
  if (isSteady && (hasSeen(itemOf(button)) || !event.isTrusted || button.matches("summary"))) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  notify("The list had just changed, so nothing was sent. Look again, and repeat it.", true);
}

/** Carry out a key for the focused item; return whether it was one. */
function decide(event, sinceTyped) {
  const item = itemOf(document.activeElement);
  if (!item) return false;
  if (event.key === "j" || event.key === "k") {
    (event.key === "j" ? item.nextElementSibling : item.previousElementSibling)?.focus();
    return true;
  }
  const target = item.querySelector(`[data-shortcut="${CSS.escape(event.key)}"]`);
  if (!target) return false;
  event.preventDefault();
  const isCalm = !event.repeat && sinceTyped >= SEEN_MS && performance.now() - focusedAt >= SEEN_MS;
  if (!isCalm || !hasSeen(item)) return true;
  if (target.matches("summary")) open(target.parentElement);
  else if (target.matches("button")) target.click();
  else target.focus();
  return true;
}

function open(details) {
  details.open = true;
  const field = details.querySelector("input:not([type=hidden]), textarea, select");
  field?.focus();
  if (field?.matches("textarea")) field.setSelectionRange(field.value.length, field.value.length);
}

/** Focus an item if nothing else is focused, or if the person is done with the one that is. */
function keepFocus() {
  const item = itemOf(document.activeElement);
  const isDone = item?.dataset.closed !== undefined && settled.has(item.dataset.key);
  if (!isDone && document.activeElement && document.activeElement !== document.body) return;
  document.querySelector("[data-steady] > :not([data-closed])")?.focus({ preventScroll: true });
}

const shown = new Set();
const onScreen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) shown.add(target);
    else { shown.delete(target); seenSince.delete(itemOf(target)); }
  }
  reportShown();
}, { threshold: 1, rootMargin: "-52px 0px 0px 0px" }); // The bar of the page covers that much.

/** Tell the daemon what the person can see now, and since when; it answers with the seconds that are left. */
async function reportShown() {
  const fresh = new Map();
  for (const mark of shown) {
    const item = itemOf(mark);
    if (!item || !mark.dataset.shown) { shown.delete(mark); continue; }
    if (document.hidden) seenSince.delete(item);
    else if (!seenSince.has(item)) seenSince.set(item, performance.now());
    if (document.hidden || deadlines.has(mark.dataset.id)) continue;
    if (hasSeen(item)) fresh.set(mark.dataset.id, mark.dataset.shown);
    else setTimeout(reportShown, SEEN_MS);
  }
  if (!fresh.size) return;
  for (const id of fresh.keys()) deadlines.set(id, undefined);
  const { failed, data } = await act([...fresh.values()][0], { ids: [...fresh.keys()].join(" ") }, { quiet: true });
  for (const id of fresh.keys()) {
    if (failed) deadlines.delete(id);
    else if (id in data) deadlines.set(id, performance.now() + data[id] * 1000);
  }
  countDown();
}

function countDown() {
  for (const element of document.querySelectorAll("[data-countdown]")) {
    const deadline = deadlines.get(element.dataset.countdown);
    if (deadline === undefined) continue;
    const left = Math.max(0, Math.ceil((deadline - performance.now()) / 1000));
    element.textContent = left < 120 ? `${left} s left` : `${Math.ceil(left / 60)} min left`;
    element.classList.toggle("is-short", left <= 10);
  }
}

function refreshDecisions() {
  const present = new Set();
  for (const mark of document.querySelectorAll("[data-steady] [data-shown]")) {
    onScreen.observe(mark);
    present.add(mark.dataset.id);
  }
  for (const id of deadlines.keys()) if (!present.has(id)) deadlines.delete(id);
  reportShown();
  notePlaces(false);
  keepFocus();
  countDown();
}

function watchDecisions() {
  document.addEventListener("patched", refreshDecisions);
  document.addEventListener("visibilitychange", reportShown);
  document.addEventListener("scroll", () => notePlaces(true), { capture: true, passive: true });
  document.addEventListener("focusin", () => { focusedAt = performance.now(); });
  document.addEventListener("click", guardClick, { capture: true });
  new ResizeObserver(() => notePlaces(false)).observe(document.body);
  setInterval(countDown, 500);
  refreshDecisions();
}

// --- the keyboard ------------------------------------------------------------------------------------------------

let leader = 0;

function onKey(event) {
  const sinceTyped = event.timeStamp - typedAt;
  typedAt = event.timeStamp;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("form[data-act] textarea")) {
    event.target.form.requestSubmit();
    return;
  }
  if (event.key === "Escape" && event.target.matches("[data-steady] :is(input, textarea)")) itemOf(event.target).focus();
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest("input, textarea, select, [contenteditable], [data-takes-keys], dialog")) return;
  if (decide(event, sinceTyped)) return;
  if (event.key === "g") { leader = Date.now(); return; }
  if (Date.now() - leader < 1500 && /[1-9]/.test(event.key)) {
    document.querySelectorAll(".bar nav a")[event.key - 1]?.click();
    return;
  }
  if (event.key === "?") { byId("preferences").showModal(); return; }
  const target = [...document.querySelectorAll(`[data-shortcut="${CSS.escape(event.key)}"]`)].find((it) => it.matches("input, textarea, button") && !itemOf(it));
  if (!target) return;
  event.preventDefault();
  if (target.matches("button")) target.click();
  else target.focus();
}

// --- beginning ---------------------------------------------------------------------------------------------------

function begin() {
  pageTitle = document.title;
  addEventListener("pagehide", () => { leaves = true; });
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  document.addEventListener("submit", (event) => {
    if (event.target.dataset.act) { event.preventDefault(); submit(event.target, event.submitter); }
    if (event.target.dataset.goes) { event.preventDefault(); goWith(event.target); }
  });
  document.addEventListener("click", (event) => {
    const { target } = event;
    const file = target.closest("a[download]");
    if (file) { event.preventDefault(); download(file); }
    const button = target.closest("button");
    if (button?.dataset.opens) byId(button.dataset.opens).showModal();
    if (button?.dataset.closes !== undefined) button.closest("dialog").close();
    if (button?.dataset.posts) act(button.dataset.posts);
    if (button?.dataset.followsEnd) followEnd(byId(button.dataset.followsEnd));
  });
  document.addEventListener("input", ({ target }) => { if (target.dataset.filters) filter(target); });
  document.addEventListener("scroll", ({ target }) => { if (target.dataset?.follows !== undefined) showBehind(target); }, true);
  document.addEventListener("change", ({ target }) => { if (target.dataset.preference) setPreference(target); });
  document.addEventListener("keydown", onKey);
  byId("waiting").addEventListener("patched", showWaiting);
  for (const input of document.querySelectorAll("[data-preference]")) input.checked = isWanted(input.dataset.preference);
  showWaiting();
  decorate(document);
  for (const region of document.querySelectorAll("[data-follows]")) followEnd(region);
  setInterval(() => showAges(document), 1000);
  for (const input of document.querySelectorAll("[data-zone]")) input.value = new Date().getTimezoneOffset();
  watchDecisions();
  for (const input of document.querySelectorAll("textarea[data-sends]")) {
    import("./command-input.js").then(({ takeCommands }) => takeCommands(input, act));
  }
  for (const screen of document.querySelectorAll("[data-screen]")) {
    import("./screen.js").then(({ takeKeys }) => takeKeys(screen, act));
  }
  connect();
}

enter();
