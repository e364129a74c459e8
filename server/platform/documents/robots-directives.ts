/** `noindex`, `nofollow` and `none`, as they stand in a robots meta and in X-Robots-Tag. */
export function readRobotsDirectives(directives: string): { isIndexable: boolean; isFollowable: boolean } {
  const words = new Set(directives.toLowerCase().split(/[\s,:;]+/))
  return {
    isIndexable: !words.has('noindex') && !words.has('none'),
    isFollowable: !words.has('nofollow') && !words.has('none'),
  }
}
