// Screens of programs: what is typed into them, their colours, and what is read of them to those who listen.

const KEY_NAMES = { ArrowUp: "Up", ArrowDown: "Down", ArrowLeft: "Left", ArrowRight: "Right", " ": "Space" };
const NAMED_KEY = /^(Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|PageUp|PageDown|Up|Down|Left|Right|Space|F\d+)$/;
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
let act;
const typed = [];
let isTyping = false;
let typesInto;

/** Type something into a screen's program, after what was typed before. */
async function type(screen, item) {
  const last = typed.at(-1);
  if (item.text && last?.text) last.text += item.text;
  else typed.push(item);
  if (isTyping) return;
  isTyping = true;
  while (typed.length) {
    const keys = JSON.stringify(typed.splice(0));
    const { failed } = await act("/console/act/topics/keys", { user: screen.dataset.user, topic: screen.dataset.topic, keys });
    // What was meant for a program is not for the next one.
    if (failed) typed.length = 0;
  }
  isTyping = false;
}

/** Return the name of a pressed key that is not a text, or nothing. */
function keyName(event) {
  const name = KEY_NAMES[event.key] ?? event.key;
  const isText = event.getModifierState("AltGraph") || (isMac && event.altKey);
  const control = event.ctrlKey && !isText, alt = event.altKey && !isText;
  const isNamed = NAMED_KEY.test(name) && (name !== "Space" || control || alt);
  if (event.metaKey || !(isNamed || ((control || alt) && [...name].length === 1))) return "";
  const shift = event.shiftKey && isNamed;
  return `${control ? "Ctrl+" : ""}${alt ? "Alt+" : ""}${shift ? "Shift+" : ""}${isNamed ? name : name.toLowerCase()}`;
}

function onScreenKey(event) {
  const screen = event.target.closest?.("[data-screen]");
  if (!screen || event.isComposing) return;
  if (event.ctrlKey && event.shiftKey && (event.key === "Escape" || event.key === "Enter")) {
    event.preventDefault();
    leaveScreen(screen);
    return;
  }
  if (event.target.matches("#screen-line") && onLineKey(event)) return;
  const takesAll = event.target.dataset.takesKeys !== undefined;
  // Ctrl-C copies what is selected, and Ctrl-V and Ctrl-Shift-V paste, as everywhere in a browser.
  const isBrowsers = event.ctrlKey && (/^v$/i.test(event.key) || event.shiftKey || (event.key === "c" && !getSelection().isCollapsed));
  const name = isBrowsers ? "" : keyName(event);
  if (!name || !(takesAll || (name === "Ctrl+c" && event.target.matches("#screen-secret")))) return;
  event.preventDefault();
  event.stopPropagation();
  type(screen, { key: name });
}

let recalled = 0;

/** Send a line by Enter, and bring earlier ones back by the arrows; return whether the key does that. */
function onLineKey(event) {
  const line = event.target;
  const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return false;
  if (event.key === "Enter") {
    recalled = 0;
    line.form.requestSubmit();
  } else if (step && (recalled || !line.value) && recalled + step >= 0) {
    const sent = [...document.querySelectorAll(`#${line.dataset.recalls} [data-recalled]`)].map((it) => it.textContent);
    recalled = Math.min(recalled + step, sent.length);
    line.value = recalled ? sent.at(-recalled) : "";
  } else return false;
  event.preventDefault();
  return true;
}

/** Send the text that an input has collected, from whatever keyboard or method. */
function sendText(input) {
  const text = input.value;
  input.value = "";
  if (text) type(input.closest("[data-screen]"), { text });
}

function onScreenPaste(event) {
  if (event.target.dataset?.takesKeys === undefined) return;
  event.preventDefault();
  const paste = event.clipboardData.getData("text/plain");
  if (paste) type(event.target.closest("[data-screen]"), { paste });
}

/** Give the keyboard to what takes it now: the prompt of the shell, a field for a secret, or the program. */
function enterScreen(screen) {
  (screen.querySelector(".screen-entry textarea, .screen-entry input[type=password]") ?? screen.querySelector("[data-takes-keys]")).focus();
}

function leaveScreen(screen) {
  typesInto = undefined;
  // The button is shown only outside.
  screen.classList.remove("is-typed");
  screen.querySelector("[data-enters-screen]").focus();
}

function followFocus({ target }) {
  const screen = target.closest?.("[data-screen]");
  const types = screen && target.matches("[data-takes-keys], .screen-entry *");
  if (typesInto && typesInto !== screen) typesInto.classList.remove("is-typed");
  typesInto = types ? screen : undefined;
  screen?.classList.toggle("is-typed", Boolean(types));
}

const colours = new CSSStyleSheet();
const MOST_COLOURS = 4000;

/** Make the rules for the colours that the classes of texts name. */
function addColours(root) {
  if (colours.cssRules.length > MOST_COLOURS) colours.replaceSync("");
  const known = new Set([...colours.cssRules].map((it) => it.selectorText.slice(1)));
  for (const text of root.querySelectorAll("span[class]")) {
    for (const name of text.classList) {
      const [, kind, digits] = /^([fb])-([0-9a-f]{6})$/.exec(name) ?? [];
      if (!kind || known.has(name)) continue;
      known.add(name);
      colours.insertRule(`.${name} { ${kind === "f" ? "color" : "background-color"}: #${digits}; }`);
    }
  }
}

let spoken = 0;

/** Read the last rows to whoever listens to the page, once the program has paused or a while has passed. */
function speak(screen) {
  if (typesInto !== screen || spoken) return;
  spoken = setTimeout(() => {
    spoken = 0;
    const rows = [...screen.querySelectorAll(".screen-row")].map((it) => it.textContent.trim()).filter(Boolean);
    const text = rows.slice(-3).join("\n").slice(-300);
    const place = screen.querySelector(".spoken");
    if (place.textContent !== text) place.textContent = text;
  }, 1500);
}

function onScreenPatched({ target }) {
  const screen = target.closest("[data-screen]");
  if (!screen) return;
  if (target.matches(".screen-rows")) {
    addColours(target);
    speak(screen);
  }
  if (typesInto === screen && (document.activeElement === document.body || document.activeElement.matches("[data-takes-keys]"))) enterScreen(screen);
}

/** Follow a screen, and type into it; `act` carries out an action of the console. */
export function takeKeys(screen, carryOut) {
  act = carryOut;
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, colours];
  addColours(screen);
  screen.addEventListener("keydown", onScreenKey);
  screen.addEventListener("paste", onScreenPaste);
  screen.addEventListener("patched", onScreenPatched);
  screen.addEventListener("input", (event) => {
    if (event.target.dataset.takesKeys !== undefined && !event.isComposing) sendText(event.target);
  });
  screen.addEventListener("compositionend", ({ target }) => { if (target.dataset.takesKeys !== undefined) sendText(target); });
  document.addEventListener("focusin", followFocus);
  screen.addEventListener("click", ({ target }) => onScreenClick(screen, target));
}

function onScreenClick(screen, target) {
  const key = target.closest("[data-types]");
  if (key) {
    type(screen, { key: key.dataset.types });
    if (screen === typesInto) enterScreen(screen);
  } else if (target.closest("[data-leaves-screen]")) leaveScreen(screen);
  else if (target.closest("[data-enters-screen]")) enterScreen(screen);
  else if (target.closest(".screen-scroll") && !target.closest("form") && getSelection().isCollapsed) enterScreen(screen);
}
