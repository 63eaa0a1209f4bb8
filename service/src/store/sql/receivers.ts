import type { Sender, Subscription } from '../ports/store.port.ts';
import type { Ms } from '../../values/time.ts';
import type { DeliveryToSend, WebhookEvent } from '../../webhooks/webhook.ts';
import type { Command, SqlRow, Step } from './statement.ts';

/** Nobody who sends: others look for what was written. */
const NOBODY: Sender = { takes: () => false, leaseEnd: () => 0, onWritten: () => undefined };

/** Who is told of which event. All stores of one database that a process has opened share it. */
export class Receivers {
  #texts: ReadonlyMap<WebhookEvent, string> = new Map();
  #clients: string | null = null;
  #ids: ReadonlyMap<WebhookEvent, readonly string[]> = new Map();
  #sender = NOBODY;

  tellTo(subscriptions: readonly Subscription[], sender: Sender = NOBODY): void {
    const lists = new Map<WebhookEvent, Subscription[]>();
    for (const one of subscriptions) {
      for (const event of one.events) lists.set(event, [...(lists.get(event) ?? []), one]);
    }
    this.#texts = new Map([...lists].map(([event, list]) => [event, textOf(list)]));
    this.#ids = new Map(
      [...lists].map(([event, list]) => [event, list.map(({ receiver }) => receiver)]),
    );
    const clients = [...new Set(subscriptions.map(({ client }) => client))];
    this.#clients = clients.length === 0 ? null : JSON.stringify(clients);
    this.#sender = sender;
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
    return receivers === null ? command : this.#with(command, rows(receivers), [], () => null);
  }

  /**
   * As `told`, but what the sender takes is written as leased.
   * @param rows is given the ids of the receivers that it takes, in one text, and the end of the lease
   * @param takenOf what a row says that is leased; null for others
   */
  toldOrTaken<Result>(
    command: Command<Result>,
    event: WebhookEvent,
    rows: (receivers: string, taken: string, until: Ms) => Step,
    takenOf: (row: SqlRow) => DeliveryToSend | null,
  ): Command<Result> {
    const receivers = this.of(event);
    if (receivers === null) return command;
    const offered = (this.#ids.get(event) ?? []).filter((id) => this.#sender.takes(id));
    const step = rows(receivers, offered.join(' '), this.#sender.leaseEnd());
    return this.#with(command, step, offered, takenOf);
  }

  #with<Result>(
    command: Command<Result>,
    step: Step,
    offered: readonly string[],
    takenOf: (row: SqlRow) => DeliveryToSend | null,
  ): Command<Result> {
    return {
      ...command,
      steps: [...command.steps, step],
      // Results are read after the commit.
      decode: (results) => {
        const rows = results.rows(step);
        const receivers = new Set(rows.map(({ receiver }) => String(receiver)));
        const taken = rows.map(takenOf).filter((one) => one !== null);
        if (receivers.size + offered.length > 0) {
          this.#sender.onWritten({ receivers, offered, taken });
        }
        return command.decode(results);
      },
    };
  }
}

const textOf = (subscriptions: readonly Subscription[]): string =>
  JSON.stringify(subscriptions.map(({ receiver, client }) => `${receiver} ${client}`));
