/** Reads `noindex`, `nofollow` and `none` in a robots meta element or an X-Robots-Tag header. */
export function readRobotsDirectives(directives: string): { isIndexable: boolean; isFollowable: boolean } {
  const words = new Set(directives.toLowerCase().split(/[\s,:;]+/))
  return {
    isIndexable: !words.has('noindex') && !words.has('none'),
    isFollowable: !words.has('nofollow') && !words.has('none'),
  }
}
