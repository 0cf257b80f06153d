"""Chromium flags: no background services or network chatter."""

from __future__ import annotations

NO_SANDBOX = "--no-sandbox"
_DISABLED_FEATURES = (
    "BackForwardCache",
    "DialMediaRouteProvider",
    "MediaRouter",
    "OptimizationHints",
    "Prerender2",
    "Translate",
    "WebRtcHideLocalIpsWithMdns",
    # Parts of the browser UI that are pages themselves, and cost more than the page shown.
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
    # No connections of its own.
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
    # Each page has its own proxy. All other connections fail, and no names are resolved.
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--dns-prefetch-disable",
    "--disable-quic",
    # The flag was renamed; older versions know the second one.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    f"--disable-features={','.join(_DISABLED_FEATURES)}",
)
