/** Returns whether a configuration value with this name is secret by default. The server applies the same rule. */
export const soundsSecret = (name: string): boolean =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
    .some((word) => /(?:key|token|secret|passwd|password|credentials?)$/.test(word))
