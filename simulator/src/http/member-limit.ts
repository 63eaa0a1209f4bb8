/** No request of this interface comes near it; counting and comparing thousands takes its time. */
const MOST_MEMBERS = 32;

/** Told apart by its code from what is wrong with the program. */
class TooManyMembers extends Error {
  readonly code = 'FST_ERR_CTP_TOO_MANY_MEMBERS';
  readonly statusCode = 400;

  constructor() {
    super(`a body has at most ${MOST_MEMBERS} members`);
    this.name = 'TooManyMembers';
  }
}

/** @throws TooManyMembers before anything is taken apart */
export function limitFields(form: string): string {
  if (form.split('&', MOST_MEMBERS + 1).length > MOST_MEMBERS) throw new TooManyMembers();
  return form;
}

/** In each object and list by itself; how deep they are is the schemas' to say. @throws TooManyMembers */
export function limitMembers(body: unknown): void {
  const waiting = [body];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const members: unknown[] = Object.values(value);
    if (members.length > MOST_MEMBERS) throw new TooManyMembers();
    waiting.push(...members);
  }
}
