// Reads the document from an isolated world, where the page's scripts can't interfere.
(() => {
  const OMITTED = new Set(["script", "style", "noscript", "template"]);
  const FRAMES = new Set(["iframe", "frame"]);
  const TAG_REPLACEMENTS = { iframe: "div", frame: "div", frameset: "body", xmp: "pre", plaintext: "pre", listing: "pre" };
  const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
  const SKIPS_FIRST_NEWLINE = new Set(["pre", "textarea"]);
  const URL_ATTRIBUTES = new Set(["href", "src", "action", "formaction", "poster", "cite", "data"]);
  const PRIVATE_INPUTS = new Set(["password", "file"]);
  const MAX_WATCHED = 20000;

  // Names of form fields and images shadow the properties of forms and documents, so call the getters directly.
  const getterOf = (prototype, name) => {
    const getter = Object.getOwnPropertyDescriptor(prototype, name).get;
    return (it) => getter.call(it);
  };
  const attributesOf = getterOf(Element.prototype, "attributes");
  const localNameOf = getterOf(Element.prototype, "localName");
  const shadowOf = getterOf(Element.prototype, "shadowRoot");
  const kindOf = getterOf(Node.prototype, "nodeType");
  const ownerOf = getterOf(Node.prototype, "ownerDocument");
  const baseOf = getterOf(Node.prototype, "baseURI");
  const nodesOf = getterOf(Node.prototype, "childNodes");
  const bodyOf = getterOf(Document.prototype, "body");
  const rootOf = getterOf(Document.prototype, "documentElement");
  const uriOf = getterOf(Document.prototype, "URL");
  const typeOf = getterOf(Document.prototype, "contentType");
  const first = (selector) => Document.prototype.querySelector.call(document, selector);
  const isText = (node) => node && kindOf(node) === Node.TEXT_NODE;
  const all = (root) => (root === document ? Document : DocumentFragment).prototype.querySelectorAll.call(root, "*");

  let changed = performance.now();
  const watched = new WeakSet();
  const observer = new MutationObserver(() => (changed = performance.now()));

  const watch = (root) => {
    if (!watched.has(root)) {
      watched.add(root);
      observer.observe(root, { subtree: true, childList: true, characterData: true });
      changed = performance.now();
    }
    const elements = all(root);
    if (elements.length > MAX_WATCHED) return;
    for (const element of elements) {
      const shadow = shadowOf(element);
      if (shadow) watch(shadow);
    }
  };

  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const quoted = (text) => `"${escaped(text).replace(/"/g, "&quot;")}"`;

  const absolute = (value, owner) => {
    try {
      return owner === document ? value : new URL(value, baseOf(owner)).href;
    } catch {
      return value;
    }
  };

  // Values entered by scripts are properties only, not attributes.
  const applyState = (element, name, attributes) => {
    const put = (key, is) => (is ? attributes.set(key, "") : attributes.delete(key));
    if (name === "option") put("selected", element.selected);
    if (name !== "input") return;
    if (element.type === "checkbox" || element.type === "radio") put("checked", element.checked);
    else if (!PRIVATE_INPUTS.has(element.type) && element.value) attributes.set("value", element.value);
  };

  const opening = (element, name) => {
    const attributes = new Map(Array.from(attributesOf(element), (it) => [it.name, it.value]));
    for (const [key, value] of attributes) {
      if (URL_ATTRIBUTES.has(key)) attributes.set(key, absolute(value, ownerOf(element)));
    }
    attributes.delete("srcdoc");
    applyState(element, name, attributes);
    return `<${name}${Array.from(attributes, ([key, value]) => ` ${key}=${quoted(value)}`).join("")}>`;
  };

  const frameContent = (frame) => {
    try {
      const body = frame.contentDocument && bodyOf(frame.contentDocument);
      return body ? nodesOf(body) : [];
    } catch {
      return [];
    }
  };

  // The flattened tree: a shadow tree replaces its host's children, slots contain their assigned nodes.
  const childrenOf = (element, name) => {
    if (FRAMES.has(name)) return frameContent(element);
    if (name === "textarea") return [document.createTextNode(element.value)];
    const shadow = shadowOf(element);
    if (shadow) return nodesOf(shadow);
    const filling = name === "slot" ? element.assignedNodes({ flatten: true }) : [];
    return filling.length ? filling : nodesOf(element);
  };

  const serialized = (limit, notice) => {
    const place = notice && (first("main, article, [role=main]") || first("body"));
    const parts = ["<!DOCTYPE html>"];
    let size = 0;
    const put = (text) => {
      parts.push(text);
      size += text.length;
    };
    const serializeElement = (element, waiting) => {
      const name = localNameOf(element);
      if (OMITTED.has(name)) return;
      const tag = TAG_REPLACEMENTS[name] || name;
      put(opening(element, tag));
      if (element === place) put(`<p><strong>${escaped(notice)}</strong></p>`);
      if (VOID.has(tag)) return;
      const children = childrenOf(element, name);
      if (SKIPS_FIRST_NEWLINE.has(tag) && isText(children[0]) && children[0].data[0] === "\n") put("\n");
      waiting.push(`</${tag}>`);
      for (let i = children.length - 1; i >= 0; i--) waiting.push(children[i]);
    };
    // No recursion: scripts can nest elements deeper than the call stack.
    const waiting = [rootOf(document)];
    while (waiting.length && size <= limit) {
      const next = waiting.pop();
      if (typeof next === "string") put(next);
      else if (isText(next)) put(escaped(next.data));
      else if (kindOf(next) === Node.ELEMENT_NODE) serializeElement(next, waiting);
    }
    return { html: size <= limit ? parts.join("").toWellFormed() : null, uri: uriOf(document), type: typeOf(document) };
  };

  globalThis.stringd = {
    idleMilliseconds: () => {
      watch(document);
      return performance.now() - changed;
    },
    serialized,
  };
})();
