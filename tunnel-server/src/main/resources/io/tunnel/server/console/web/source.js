// The feed of snapshots of a window. All windows of a browser that are seen share one connection where the browser can do so.

const SEE_MS = 5_000;

/**
 * Listens until it is closed.
 *
 * @param {string} version of the server: windows of two versions share nothing
 * @param {(snapshot: string) => void} took
 * @param {() => void} failed nothing comes any more; close it
 * @returns {{ close: () => void }}
 */
export function subscribe(version, took, failed) {
  return typeof SharedWorker === 'undefined' ? alone(took, failed) : shared(version, took, failed);
}

/**
 * A connection of its own, which a browser has six of.
 *
 * @param {(snapshot: string) => void} took
 * @param {() => void} failed
 */
function alone(took, failed) {
  const source = new EventSource('/api/events');
  source.addEventListener('snapshot', (event) => took(event.data));
  // The browser would try again by itself, but not after a refusal, and with a session that a restarted server does not know.
  source.onerror = failed;
  return source;
}

/**
 * @param {string} version
 * @param {(snapshot: string) => void} took
 * @param {() => void} failed
 */
function shared(version, took, failed) {
  const worker = new SharedWorker('/console/feed-worker.js', { name: `tunnel feed ${version}` });
  const { port } = worker;
  /** @type {{ close: () => void } | null} */
  let fallback = null;
  // A window that closes may not be able to say so: one that says nothing is taken for closed.
  const see = () => port.postMessage('see');
  const timer = setInterval(see, SEE_MS);
  const leave = () => {
    clearInterval(timer);
    port.postMessage('leave');
    port.onmessage = null;
    port.close();
  };
  worker.onerror = () => {
    leave();
    fallback ??= alone(took, failed);
  };
  port.onmessage = ({ data }) => (data === null ? failed() : took(data));
  see();
  return {
    close() {
      worker.onerror = null;
      fallback?.close();
      leave();
    },
  };
}
