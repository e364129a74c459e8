/**
 * What parameters and functions are called: an identifier in Python and JavaScript that every provider takes for a
 * function and a property. Two underscores at the beginning are what languages keep for themselves (`__proto__`).
 */
export const IDENTIFIER = /^(?!__)[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** The words of a name, by underscores and capital letters: `apiKey` and `API_KEY` are api and key. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')

/** Whether a configuration value of this name is a secret, as far as a name tells. `max_tokens` is none. */
export const soundsSecret = (name: string): boolean =>
  wordsOf(name).some((word) => /(?:key|token|secret|passwd|password|credentials?)$/.test(word))
