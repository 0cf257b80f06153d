// What the daemon knows of a document, in a world of its own, where the page's scripts can change nothing.
(() => {
  const LEFT_OUT = new Set(["script", "style", "noscript", "template"]);
  const FRAMES = new Set(["iframe", "frame"]);
  const SHOWN_AS = { iframe: "div", frame: "div", frameset: "body", xmp: "pre", plaintext: "pre", listing: "pre" };
  const EMPTY = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
  const DROPS_FIRST_LINE_END = new Set(["pre", "textarea"]);
  const ADDRESSES = new Set(["href", "src", "action", "formaction", "poster", "cite", "data"]);
  const KEPT_TO_ITSELF = new Set(["password", "file"]);
  const MOST_SEARCHED = 20000;

  // A form's fields and a document's images go by names, and names hide what every element and document has.
  const own = (prototype, name) => {
    const getter = Object.getOwnPropertyDescriptor(prototype, name).get;
    return (it) => getter.call(it);
  };
  const attributesOf = own(Element.prototype, "attributes");
  const localNameOf = own(Element.prototype, "localName");
  const shadowOf = own(Element.prototype, "shadowRoot");
  const kindOf = own(Node.prototype, "nodeType");
  const ownerOf = own(Node.prototype, "ownerDocument");
  const baseOf = own(Node.prototype, "baseURI");
  const nodesOf = own(Node.prototype, "childNodes");
  const bodyOf = own(Document.prototype, "body");
  const rootOf = own(Document.prototype, "documentElement");
  const uriOf = own(Document.prototype, "URL");
  const typeOf = own(Document.prototype, "contentType");
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
    if (elements.length > MOST_SEARCHED) return;
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

  // What somebody, or a script, has filled in is a property only.
  const fillIn = (element, name, attributes) => {
    const put = (key, is) => (is ? attributes.set(key, "") : attributes.delete(key));
    if (name === "option") put("selected", element.selected);
    if (name !== "input") return;
    if (element.type === "checkbox" || element.type === "radio") put("checked", element.checked);
    else if (!KEPT_TO_ITSELF.has(element.type) && element.value) attributes.set("value", element.value);
  };

  const opening = (element, name) => {
    const attributes = new Map(Array.from(attributesOf(element), (it) => [it.name, it.value]));
    for (const [key, value] of attributes) {
      if (ADDRESSES.has(key)) attributes.set(key, absolute(value, ownerOf(element)));
    }
    attributes.delete("srcdoc");
    fillIn(element, name, attributes);
    return `<${name}${Array.from(attributes, ([key, value]) => ` ${key}=${quoted(value)}`).join("")}>`;
  };

  const insideOfFrame = (frame) => {
    try {
      const body = frame.contentDocument && bodyOf(frame.contentDocument);
      return body ? nodesOf(body) : [];
    } catch {
      return [];
    }
  };

  // The children as they are shown: a shadow tree in place of its host's own, and in its slots what fills them.
  const childrenOf = (element, name) => {
    if (FRAMES.has(name)) return insideOfFrame(element);
    if (name === "textarea") return [document.createTextNode(element.value)];
    const shadow = shadowOf(element);
    if (shadow) return nodesOf(shadow);
    const filling = name === "slot" ? element.assignedNodes({ flatten: true }) : [];
    return filling.length ? filling : nodesOf(element);
  };

  const serialized = (limit, word) => {
    const place = word && (first("main, article, [role=main]") || first("body"));
    const parts = ["<!DOCTYPE html>"];
    let size = 0;
    const put = (text) => {
      parts.push(text);
      size += text.length;
    };
    const takeElement = (element, waiting) => {
      const name = localNameOf(element);
      if (LEFT_OUT.has(name)) return;
      const tag = SHOWN_AS[name] || name;
      put(opening(element, tag));
      if (element === place) put(`<p><strong>${escaped(word)}</strong></p>`);
      if (EMPTY.has(tag)) return;
      const children = childrenOf(element, name);
      if (DROPS_FIRST_LINE_END.has(tag) && isText(children[0]) && children[0].data[0] === "\n") put("\n");
      waiting.push(`</${tag}>`);
      for (let i = children.length - 1; i >= 0; i--) waiting.push(children[i]);
    };
    // No recursion: a script can nest deeper than a stack is.
    const waiting = [rootOf(document)];
    while (waiting.length && size <= limit) {
      const next = waiting.pop();
      if (typeof next === "string") put(next);
      else if (isText(next)) put(escaped(next.data));
      else if (kindOf(next) === Node.ELEMENT_NODE) takeElement(next, waiting);
    }
    return { html: size <= limit ? parts.join("").toWellFormed() : null, uri: uriOf(document), type: typeOf(document) };
  };

  globalThis.stringd = {
    quiet: () => {
      watch(document);
      return performance.now() - changed;
    },
    serialized,
  };
})();
