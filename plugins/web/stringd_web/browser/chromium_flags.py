"""How Chromium is started: for pages alone, and with nobody to talk to."""

from __future__ import annotations

NO_SANDBOX = "--no-sandbox"
_NOT_WANTED = (
    "BackForwardCache",
    "DialMediaRouteProvider",
    "MediaRouter",
    "OptimizationHints",
    "Prerender2",
    "Translate",
    "WebRtcHideLocalIpsWithMdns",
    # Parts of the window that are pages themselves, and have more to do than the page in it.
    "InitialWebUI",
    "PreloadTopChromeWebUI",
    "PreloadTopChromeWebUILessNavigations",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "WebUIOmniboxPopup",
    "WebUIReloadButton",
    "WebUIToolbar",
)
FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--mute-audio",
    "--hide-scrollbars",
    "--block-new-web-contents",
    "--js-flags=--max-old-space-size=512",
    # It talks to nobody on its own account.
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-print-preview",
    "--disable-sync",
    "--metrics-recording-only",
    "--password-store=basic",
    # Its pages have a proxy each. All else finds nobody, and no name is looked up.
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--dns-prefetch-disable",
    "--disable-quic",
    # The word has changed with the years.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    f"--disable-features={','.join(_NOT_WANTED)}",
)
