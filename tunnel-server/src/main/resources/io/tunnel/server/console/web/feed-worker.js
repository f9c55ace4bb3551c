// Shared by all windows of a browser: holds the one connection to the feed, as long as a window is seen. No module, for older browsers.
{
  /** A window says every 5 s that it is seen; after this time without a word it is closed. */
  const SEEN_MS_MAX = 15_000;

  /** When each window said last that it is seen. @type {Map<MessagePort, number>} */
  const seen = new Map();
  /** @type {EventSource | null} */
  let source = null;

  const close = () => {
    source?.close();
    source = null;
  };

  const open = () => {
    if (source !== null) {
      return;
    }
    source = new EventSource('/api/events');
    source.addEventListener('snapshot', (event) => seen.forEach((_, port) => port.postMessage(event.data)));
    source.onerror = () => {
      // Each window finds out whether the session has ended, and comes again.
      close();
      const ports = [...seen.keys()];
      seen.clear();
      ports.forEach((port) => port.postMessage(null));
    };
  };

  /** @param {MessagePort} port */
  const leave = (port) => {
    seen.delete(port);
    if (seen.size === 0) {
      close();
    }
  };

  setInterval(() => {
    const now = Date.now();
    seen.forEach((lastMs, port) => {
      if (now - lastMs > SEEN_MS_MAX) {
        leave(port);
      }
    });
  }, SEEN_MS_MAX / 3);

  /** @type {any} */ (globalThis).onconnect = (/** @type {MessageEvent} */ { ports: [port] }) => {
    port.onmessage = ({ data }) => {
      if (data === 'see') {
        seen.set(port, Date.now());
        open();
      } else {
        leave(port);
      }
    };
  };
}
