import type { Entry, Exchange, Message } from './entry.ts';

/** The entry with bodies that can be read member by member: texts of JSON and forms are parsed. */
export function readable(entry: Entry): Entry {
  const { exchange } = entry;
  return exchange === null ? entry : { ...entry, exchange: readableExchange(exchange) };
}

function readableExchange(exchange: Exchange): Exchange {
  const { request, response } = exchange;
  return { ...exchange, request: readableMessage(request), response: readableMessage(response) };
}

function readableMessage({ headers, body }: Message): Message {
  const { 'content-type': type = '' } = headers;
  return { headers, body: typeof body === 'string' ? readText(body, type) : body };
}

function readText(text: string, type: string): unknown {
  if (text === '') return null;
  if (type.includes('x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(text).entries());
  }
  // A page may have a secret in any field of its forms, and nobody reads it here.
  if (/^\s*</.test(text)) return `[page, ${text.length} characters]`;
  return parsed(text);
}

/** A text that is no JSON as it is. */
function parsed(text: string): unknown {
  if (!/^\s*[[{"\dtfn-]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
