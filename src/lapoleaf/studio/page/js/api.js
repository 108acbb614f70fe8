// Calls of the server. Errors are sentences to show.

export class ServerError extends Error {}

let session = null;

/** Name the project that all further requests are about. */
export function ofSession(id) {
  session = id;
}

/** Return an address with the project that it is about: the server refuses it if another is open by now. */
export function address(path) {
  // The state tells which one is open.
  return session === null || path === "/api/state" ? path : `${path}${path.includes("?") ? "&" : "?"}session=${session}`;
}

/** Return the address of a row's picture. */
export function thumbnail(row, size) {
  return address(`/api/rows/${Number(row)}/thumbnail?size=${size}`);
}

/** Return the parsed answer of a GET. */
export async function getJson(path, signal) {
  return (await checked(await call(path, { signal }))).json();
}

/** Return the bytes of a GET, or null for an empty answer. */
export async function getBytes(path) {
  const answer = await checked(await call(path, {}));
  return answer.status === 204 ? null : answer.arrayBuffer();
}

/** Return the parsed answer of a POST with a JSON body. */
export async function postJson(path, body) {
  return send(path, JSON.stringify(body), "application/json");
}

/** Return the parsed answer of a POST with the bytes of a file. */
export async function postFile(path, file) {
  return send(path, file, "application/octet-stream");
}

async function send(path, body, type) {
  const answer = await call(path, { method: "POST", body, headers: { "Content-Type": type } });
  return (await checked(answer)).json();
}

async function call(path, options) {
  try {
    return await fetch(address(path), { credentials: "same-origin", cache: "no-cache", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError("The server does not answer. Is it still running?");
  }
}

async function checked(answer) {
  if (answer.ok) return answer;
  let sentence = answer.status === 403 ? "This page is not connected any more." : `The server answered ${answer.status}.`;
  try {
    sentence = (await answer.json()).error ?? sentence;
  } catch {
    // Not JSON: the number has to do.
  }
  throw new ServerError(sentence);
}
