/**
 * What every answer says of the service, as `X-Auth-Mode`. `simulator`: the provider is invented and
 * in this process. `live`: a real one. `rehearsal`: the rules of live, against a simulator elsewhere.
 */
export type Mode = 'simulator' | 'live' | 'rehearsal';
