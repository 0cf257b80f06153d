// Names the elements of a page that can be clicked or filled in, and finds them again.
(() => {
  const INTERACTIVE = [
    "a[href]", "area[href]", "button", "input:not([type=hidden])", "select", "textarea", "summary", "[onclick]",
    "[contenteditable='']", "[contenteditable=true]", "[tabindex]:not([tabindex='-1'])",
    ..."button link checkbox radio switch tab menuitem option textbox searchbox combobox slider".split(" ").map((it) => `[role=${it}]`),
  ].join(",");
  const BUTTONS = new Set(["button", "submit", "reset", "image"]);
  const CHOICES = new Set(["checkbox", "radio"]);
  const MAX_SEEN = 50000;
  const numbers = new WeakMap();
  const known = new Map();
  let next = 1;

  const roots = function* (root) {
    yield root;
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) yield* roots(element.shadowRoot);
  };
  const all = () => {
    const found = [];
    for (const root of roots(document)) {
      for (const element of Document.prototype.querySelectorAll.call(root, INTERACTIVE)) {
        if (found.length >= MAX_SEEN) return found;
        found.push(element);
      }
    }
    return found;
  };
  const words = (text) => (text || "").replace(/\s+/g, " ").trim().slice(0, 100);
  const isVisible = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: false }) && element.getClientRects().length > 0;

  const roleOf = (element) => {
    const role = element.getAttribute("role");
    if (role) return words(role);
    const name = element.localName;
    if (name === "a" || name === "area") return "link";
    if (name === "select") return "choice";
    if (name === "input") return BUTTONS.has(element.type) ? "button" : CHOICES.has(element.type) ? element.type : "field";
    if (name === "textarea" || element.isContentEditable) return "field";
    return "button";
  };
  const labelOf = (element) => {
    const labelled = (element.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean)
      .map((id) => element.getRootNode().getElementById?.(id)?.innerText).join(" ");
    const isField = ["input", "select", "textarea"].includes(element.localName);
    const button = isField && BUTTONS.has(element.type) ? element.value || element.alt || element.type : "";
    const labels = isField && element.labels ? Array.from(element.labels, (it) => it.innerText.replace(element.innerText, "")).join(" ") : "";
    const own = isField ? "" : element.innerText || element.querySelector("img[alt]")?.alt;
    return words(labelled || element.getAttribute("aria-label") || labels || button || own ||
      element.getAttribute("placeholder") || element.getAttribute("title") || element.getAttribute("name"));
  };
  const stateOf = (element) => {
    const state = [];
    if (element.disabled || element.getAttribute("aria-disabled") === "true") state.push("disabled");
    if (element.checked || element.getAttribute("aria-checked") === "true") state.push("checked");
    const expanded = element.getAttribute("aria-expanded");
    if (expanded) state.push(expanded === "true" ? "expanded" : "collapsed");
    if (element.localName === "select") state.push(`= ${words(element.selectedOptions[0]?.label)}`);
    else if (roleOf(element) === "field" && element.type !== "password" && element.value) state.push(`= ${words(element.value)}`);
    return state.join(", ");
  };

  const numbered = (element) => {
    if (!numbers.has(element)) {
      numbers.set(element, next);
      known.set(next++, new WeakRef(element));
    }
    return numbers.get(element);
  };
  const describe = (element) => ({ number: numbered(element), role: roleOf(element), label: labelOf(element), state: stateOf(element) });
  const find = (number) => {
    const element = known.get(number)?.deref();
    return element && element.isConnected ? element : null;
  };
  // What lies above an element in a shadow tree is found in that tree.
  const isHit = (element, hit) => {
    for (let at = hit; at; at = at.parentNode || at.host) if (at === element) return true;
    return Boolean(hit && (element.contains(hit) || (element.labels && Array.from(element.labels).some((it) => it.contains(hit)))));
  };

  const at = (element) => {
    if (!element) return { problem: "gone" };
    if (!isVisible(element)) return { problem: "hidden" };
    if (element.disabled || element.getAttribute("aria-disabled") === "true") return { problem: "disabled" };
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const link = element.closest("a[target], area[target]");
    if (link) link.target = "_self";
    if (element.form) element.form.removeAttribute("target");
    const box = element.getClientRects()[0];
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    const hit = element.getRootNode().elementFromPoint(x, y);
    if (!isHit(element, hit)) return { problem: "covered", by: hit ? words(hit.innerText) || hit.localName : "" };
    return { x, y };
  };

  // Selects what a field holds, so that typed text replaces it; a choice is made at once.
  const fill = (element, text) => {
    if (!element) return { problem: "gone" };
    if (!isVisible(element)) return { problem: "hidden" };
    if (element.disabled || element.readOnly) return { problem: "disabled" };
    if (element.localName === "select") {
      const wanted = words(text).toLowerCase();
      const option = Array.from(element.options).find((it) => words(it.label).toLowerCase() === wanted || it.value === text);
      if (!option) return { problem: "choice", options: Array.from(element.options, (it) => words(it.label)).slice(0, 50) };
      element.value = option.value;
      element.dispatchEvent(new Event("input", { bubbles: true }));
      element.dispatchEvent(new Event("change", { bubbles: true }));
      return { done: true };
    }
    const typed = element.localName === "input" && !BUTTONS.has(element.type) && !CHOICES.has(element.type) && element.type !== "file";
    if (!typed && element.localName !== "textarea" && !element.isContentEditable) return { problem: "no field" };
    element.scrollIntoView({ block: "center", behavior: "instant" });
    element.focus();
    if (element.isContentEditable) getSelection().selectAllChildren(element);
    else if (["date", "time", "datetime-local", "month", "week", "color", "range", "number"].includes(element.type)) {
      const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
      setter.call(element, text);
      element.dispatchEvent(new Event("input", { bubbles: true }));
      element.dispatchEvent(new Event("change", { bubbles: true }));
      return element.value === text ? { done: true } : { problem: "value" };
    } else element.select();
    return { done: false };
  };

  Object.assign(globalThis.stringd, {
    elements: (first) => {
      next = Math.max(next, first);
      return { elements: all().filter(isVisible).slice(0, 2000).map(describe), next };
    },
    locate: (number) => at(find(number)),
    locateLink: (uri) => at(all().find((it) => it.href === uri && isVisible(it)) || all().find((it) => it.href === uri)),
    fill: (number, text) => fill(find(number), text),
    filled: (number) => find(number)?.dispatchEvent(new Event("change", { bubbles: true })),
  });
})();
