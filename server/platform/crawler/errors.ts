import { defineErrors } from '#errors/define.ts'

export const CRAWLER_ERRORS = defineErrors({
  'crawl.address_too_long': 'This URL is too long.',
  'crawl.noindex': 'This page asks not to be indexed (noindex).',
  'crawl.no_text': 'This page contains no text.',
  'crawl.robots_unavailable':
    '{origin} responded with status {status} for robots.txt, so its pages cannot be read. Try again later.',
  'crawl.robots_unclear':
    'The robots.txt of {origin} is too complex to evaluate, so its pages cannot be read.',
  'crawl.status': '{host} responded with status {status}.',
  'crawl.pdf': 'This URL is a PDF, not a web page. Upload the file instead.',
  'crawl.not_a_page': 'This URL is not a web page, but {type}.',

  'crawl.other_website': 'This page redirects to another website.',
  'crawl.forbidden': 'The robots.txt of {site} does not allow reading this page.',
})
