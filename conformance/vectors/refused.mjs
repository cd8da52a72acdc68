// How an input is refused.

export class Refused extends Error {}

export function refuse(message) {
  throw new Refused(message);
}
