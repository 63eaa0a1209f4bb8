import type { OnWritten, Subscription } from '../ports/store.port.ts';
import type { WebhookEvent } from '../../webhooks/webhook.ts';
import type { Command, Step } from './statement.ts';

/** Who is told of which event. All stores of one database that a process has opened share it. */
export class Receivers {
  #texts: ReadonlyMap<WebhookEvent, string> = new Map();
  #clients: string | null = null;
  #onWritten: OnWritten = () => undefined;

  tellTo(subscriptions: readonly Subscription[], onWritten: OnWritten): void {
    const lists = new Map<WebhookEvent, string[]>();
    for (const { events, receiver, client } of subscriptions) {
      for (const event of events) {
        const list = lists.get(event) ?? [];
        lists.set(event, [...list, `${receiver} ${client}`]);
      }
    }
    this.#texts = new Map([...lists].map(([event, list]) => [event, JSON.stringify(list)]));
    const clients = [...new Set(subscriptions.map(({ client }) => client))];
    this.#clients = clients.length === 0 ? null : JSON.stringify(clients);
    this.#onWritten = onWritten;
  }

  /** Those that have a receiver, as a JSON list; null for none. */
  get clients(): string | null {
    return this.#clients;
  }

  /** As a JSON list; null where nobody is told. */
  of(event: WebhookEvent): string | null {
    return this.#texts.get(event) ?? null;
  }

  /**
   * The command, and rows for the receivers of the event, written after its last step. Without
   * receivers it is the same command.
   */
  told<Result>(
    command: Command<Result>,
    event: WebhookEvent,
    rows: (receivers: string) => Step,
  ): Command<Result> {
    const receivers = this.of(event);
    if (receivers === null) return command;
    const step = rows(receivers);
    return {
      ...command,
      steps: [...command.steps, step],
      // Results are read after the commit.
      decode: (results) => {
        const written = results.rows(step).map(({ receiver }) => String(receiver));
        if (written.length > 0) this.#onWritten(new Set(written));
        return command.decode(results);
      },
    };
  }
}
