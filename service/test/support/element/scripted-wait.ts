import { ScriptedEvents } from './scripted-events.ts';
import { EVENTS, openWait, type Waiting, type WaitingPage } from './waiting-page.ts';

/** A page that waits at a back end whose answers the test decides. */
export async function openScriptedWait(
  waiting: Omit<Waiting, 'events'>,
  events = new ScriptedEvents(),
) {
  const attributes = { random: '007042' };
  const wait = await openWait({ attributes, ...waiting, events: events.route });
  return { ...wait, events };
}

/**
 * Moves the page's time on in small steps, so that requests under way have time for an answer. The
 * page has to be one with a clock that the test moves.
 */
export function moving<Value>({ page }: WaitingPage, look: () => Value | Promise<Value>) {
  return async () => {
    await page.clock.runFor(250);
    return look();
  };
}

/** How often the page has asked for the events. */
export function asked({ server }: Pick<WaitingPage, 'server'>): number {
  return server.asked.filter((path) => path === EVENTS).length;
}
