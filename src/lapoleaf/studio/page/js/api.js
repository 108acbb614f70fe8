// Calls of the server. Errors are sentences to show.

export class ServerError extends Error {}

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
    return await fetch(path, { credentials: "same-origin", cache: "no-cache", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError("The server does not answer. Is it still running?");
  }
}

async function checked(answer) {
  if (answer.ok) return answer;
  let sentence = `The server answered ${answer.status}.`;
  try {
    sentence = (await answer.json()).error ?? sentence;
  } catch {
    // Not JSON: the number has to do.
  }
  throw new ServerError(sentence);
}
