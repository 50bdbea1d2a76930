// Made from bridge/transport/link.py by `make gen`; never edited.

export const VERSION = 1;

export const VERSIONS = Object.freeze([
  1
]);

export const HOST_NAME = "com.chrome_bridge.link";

export const CLOSE = Object.freeze({
  "GOING_AWAY": 1001,
  "TOO_BIG": 1009,
  "MALFORMED": 4400,
  "UNAUTHORIZED": 4401,
  "VERSION": 4402,
  "USER_REFUSED": 4403,
  "SILENT": 4408,
  "REPLACED": 4409
});

export const ROOT_METHODS = Object.freeze([
  "Bridge.ping",
  "Bridge.setPolicy",
  "Bridge.releaseTab",
  "Bridge.requestTab",
  "Browser.getVersion",
  "Browser.getWindowForTarget",
  "Browser.setWindowBounds",
  "Browser.setDownloadBehavior",
  "Browser.cancelDownload",
  "Target.getTargets",
  "Target.getTargetInfo",
  "Target.setDiscoverTargets",
  "Target.attachToTarget",
  "Target.detachFromTarget",
  "Target.createTarget",
  "Target.closeTarget",
  "Target.activateTarget"
]);

export const DOMAINS = Object.freeze([
  "Accessibility",
  "Audits",
  "CSS",
  "DOM",
  "DOMSnapshot",
  "Emulation",
  "Fetch",
  "IO",
  "Input",
  "Inspector",
  "Log",
  "Network",
  "Overlay",
  "Page",
  "Performance",
  "Runtime",
  "Target"
]);

export const REFUSED = Object.freeze({
  "Network.clearBrowserCache": "it is the whole browser's",
  "Network.clearBrowserCookies": "they are the whole browser's",
  "Network.deleteDeviceBoundSession": "it may be any site's",
  "Network.enableDeviceBoundSessions": "they are the whole browser's",
  "Network.getAllCookies": "they are the whole browser's",
  "Network.loadNetworkResource": "it fetches any address with the person's login",
  "Page.crash": "it serves nobody",
  "Page.disable": "downloads are watched by it",
  "Page.setDownloadBehavior": "Chrome refuses it to extensions",
  "Page.setWebLifecycleState": "a frozen page would stand still before its owner's eyes",
  "Target.activateTarget": "targets are asked for at the root",
  "Target.attachToTarget": "targets are asked for at the root",
  "Target.closeTarget": "targets are asked for at the root",
  "Target.createBrowserContext": "extensions have one profile",
  "Target.createTarget": "targets are asked for at the root",
  "Target.detachFromTarget": "targets are asked for at the root",
  "Target.exposeDevToolsProtocol": "it hands the page the browser",
  "Target.setDiscoverTargets": "targets are asked for at the root"
});

export const WITH_ADDRESSES = Object.freeze({
  "Network.getCookies": "urls",
  "Network.setCookie": "url",
  "Network.deleteCookies": "url",
  "Page.navigate": "url"
});

export const LIMITS = Object.freeze({
  "maxFrame": 104857600,
  "maxUnsent": 33554432,
  "maxBufferedEvents": 2000,
  "keepaliveMs": 20000
});
