// The input for commands: Enter sends, arrows recall, and what a command can become is offered while it is typed.

const PAUSE_MS = 60;
const HIGHEST = 240;

/** Make a textarea an input for commands; `act` carries out an action of the console. */
export function takeCommands(input, act) {
  const list = document.getElementById(input.getAttribute("aria-controls"));
  // A textarea may not be a combobox, so what is offered is announced by a status.
  const count = document.getElementById(input.getAttribute("aria-describedby"));
  let recalled = 0;
  let asked = 0;
  let timer;
  let options = [];

  const chosen = () => [...list.children].findIndex((it) => it.getAttribute("aria-selected") === "true");

  function close() {
    asked += 1;
    options = [];
    list.replaceChildren();
    list.hidden = true;
    count.textContent = "";
    input.removeAttribute("aria-activedescendant");
  }

  async function ask() {
    const number = (asked += 1);
    const text = input.value;
    if (!text.startsWith("/") || text.includes("\n")) { close(); return; }
    const { user, topic } = Object.fromEntries(new FormData(input.form));
    const { data } = await act("/console/act/topics/complete", { user, topic, text }, { quiet: true });
    // Meanwhile, the person may have typed on, sent it or left.
    if (number !== asked || document.activeElement !== input) return;
    offer((data ?? []).filter((it) => it.value !== text));
  }

  function offer(found) {
    if (!found.length) { close(); return; }
    options = found;
    list.replaceChildren(...found.map(({ label, about }, index) => {
      const option = document.createElement("li");
      option.id = `${list.id}-${index}`;
      option.role = "option";
      option.setAttribute("aria-selected", "false");
      const name = document.createElement("code");
      name.textContent = label;
      const summary = document.createElement("span");
      summary.textContent = about;
      option.append(name, summary);
      return option;
    }));
    list.hidden = false;
    list.scrollTop = 0;
    count.textContent = found.length === 1 ? "1 suggestion" : `${found.length} suggestions`;
    input.removeAttribute("aria-activedescendant");
  }

  function choose(index) {
    const at = (index + options.length) % options.length;
    [...list.children].forEach((it, number) => it.setAttribute("aria-selected", String(number === at)));
    list.children[at].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", list.children[at].id);
  }

  function accept(index) {
    replace(options[index].value);
    close();
    ask();
  }

  function replace(text) {
    input.value = text;
    input.setSelectionRange(text.length, text.length);
    fit();
  }

  /** Put an earlier command into the input; those with something masked can't be sent again. */
  function recall(step) {
    const shown = document.getElementById(input.dataset.recalls).querySelectorAll("[data-recalled]");
    const sent = [...shown].map((it) => it.textContent);
    recalled = Math.min(Math.max(recalled + step, 0), sent.length);
    replace(recalled ? sent.at(-recalled) : "");
    close();
  }

  function fit() {
    input.style.height = "auto";
    input.style.height = `${Math.min(input.scrollHeight + 2, HIGHEST)}px`;
  }

  /** Do what a key means, and return whether it means anything here. */
  function press({ key, shiftKey }) {
    const at = chosen();
    if (options.length) {
      if (key === "ArrowDown") choose(at + 1);
      else if (key === "ArrowUp") choose(at < 0 ? -1 : at - 1);
      else if (key === "Tab" && !shiftKey) accept(Math.max(at, 0));
      else if (key === "Enter" && !shiftKey && at >= 0) accept(at);
      else if (key === "Escape") close();
      else if (key === "Enter" && !shiftKey) send();
      else return false;
      return true;
    }
    if (key === "Enter" && !shiftKey) send();
    else if (key === "ArrowUp" && (recalled || !input.value)) recall(1);
    else if (key === "ArrowDown" && recalled) recall(-1);
    else return false;
    return true;
  }

  function send() {
    close();
    clearTimeout(timer);
    input.form.requestSubmit();
  }

  input.addEventListener("keydown", (event) => {
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.isComposing);
    if (isPlain && press(event)) event.preventDefault();
  });
  input.addEventListener("input", () => {
    recalled = 0;
    fit();
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE_MS);
  });
  input.addEventListener("blur", close);
  list.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const option = event.target.closest("[role=option]");
    if (option) accept([...list.children].indexOf(option));
  });
}
