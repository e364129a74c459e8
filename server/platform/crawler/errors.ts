import { defineErrors } from '#errors/define.ts'

export const CRAWLER_ERRORS = defineErrors({
  'crawl.address_too_long': 'This address is too long.',
  'crawl.noindex': 'This page asks not to be stored and searched (noindex).',
  'crawl.no_text': 'This page contains no text.',
  'crawl.robots_unavailable':
    '{origin} does not say which pages may be read: its robots.txt answers with status {status}. Try again later.',
  'crawl.robots_unclear':
    '{origin} does not say clearly which pages may be read: its robots.txt is too complicated.',
  'crawl.status': '{host} answered with status {status}.',
  'crawl.pdf': 'This address is a PDF, not a page. Upload the file instead.',
  'crawl.not_a_page': 'This address is not a page, but {type}.',

  'crawl.other_website': 'This page leads to another website.',
  'crawl.forbidden': 'robots.txt of {site} forbids reading this page.',
})
