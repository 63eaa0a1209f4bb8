/** A sign-in by browser without a browser: follows the same addresses and forms. */
import type { FastifyInstance } from 'fastify';
import { sessionCall } from './apps.ts';

const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

export interface Opened {
  /** Path and query of the authorization page. */
  readonly page: string;
  readonly state: string;
  readonly nonce: string;
}

export async function openSession(app: FastifyInstance, locale = 'en'): Promise<Opened> {
  const { url } = (await app.inject(sessionCall({ locale }))).json<{ url: string }>();
  const { pathname, search, searchParams } = new URL(url);
  const state = searchParams.get('state') ?? '';
  return { page: pathname + search, state, nonce: searchParams.get('nonce') ?? '' };
}

export function formCall(url: string, fields: Readonly<Record<string, string>>) {
  const payload = new URLSearchParams(fields).toString();
  return { method: 'POST', url, payload, headers: FORM_TYPE } as const;
}

/** The request that posts the person's decision on the page. */
export function answerCall(state: string, decision: string, more: Record<string, string> = {}) {
  return formCall('/authservice/authorize?ui_locales=en', { state, decision, ...more });
}

/** The address and the fields of a page's only form. */
export function formOf(html: string): { action: string; fields: Record<string, string> } {
  const inputs = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\/?>/g);
  return {
    action: /<form[^>]* action="([^"]*)"/.exec(html)?.[1] ?? '',
    fields: Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value])),
  };
}

/** Posts the form of a page to its address. */
export async function submit(app: FastifyInstance, html: string) {
  const { action, fields } = formOf(html);
  const { pathname } = new URL(action, 'http://simulator.invalid');
  return app.inject(formCall(pathname, fields));
}
