// How the page's questions reach what answers them: here, the server that the page came from. A site without a server
// (`dhyan site`) has another file in this place: browser/js/page/transport.js.

const READY = new URL("ready", document.baseURI).pathname;

/** One question. @returns {Promise<Response>} */
export const ask = (address, options) => fetch(address, options);

/** Whether questions are answered now. */
export const isAnswering = () =>
  fetch(READY, { cache: "no-store" }).then(
    (answer) => answer.ok,
    () => false,
  );

/**
 * What only a tab that answers itself has; null where a server answers.
 * @type {{ whenFetching(listener: (now: { name: string, done: number, of: number, isOver: boolean }) => void): void,
 *   forgetPage(): Promise<void> } | null}
 */
export const tab = null;
