/** Versions of Claude as major * 100 + minor, between which requests differ. */
export const CLAUDE_3_7 = 307
export const CLAUDE_4_1 = 401
export const CLAUDE_4_5 = 405
export const CLAUDE_4_6 = 406

/**
 * Returns the version: 307 for claude-3-7-sonnet, 401 for claude-opus-4-1-20250805. Returns undefined for models that
 * aren't Claude.
 */
export function versionOf(model: string): number | undefined {
  const [, major, minor = 0] = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ?? []
  return major === undefined ? undefined : Number(major) * 100 + Number(minor)
}

/** Returns whether a model accepts sampling settings. Models since 4.7 refuse them. */
export const takesClaudeSampling = (model: string): boolean => (versionOf(model) ?? CLAUDE_4_5) <= CLAUDE_4_6

/** Returns whether a model can think. */
export const takesClaudeThinking = (model: string): boolean => (versionOf(model) ?? CLAUDE_4_5) >= CLAUDE_3_7
