import { defineErrors } from '#errors/define.ts'

export const CRAWLER_ERRORS = defineErrors({
  'crawl.address_too_long': 'This URL is longer than {limit} characters. Use a shorter one.',
  'crawl.noindex': 'This page asks not to be indexed (noindex). Its owner can remove this setting.',
  'crawl.no_text': 'This page contains no text. Text that scripts add to a page is not read.',
  'crawl.robots_unavailable':
    '{origin} responded with status {status} for robots.txt, so its pages cannot be read. Try again later.',
  'crawl.robots_unclear':
    'The robots.txt of {origin} is too complex to evaluate, so its pages cannot be read. The owner of the website can simplify it.',
  'crawl.status': '{host} responded with status {status}. Check the URL.',
  'crawl.pdf': 'This URL is a PDF, not a web page. Upload the file instead.',
  'crawl.not_a_page': 'This URL returns {type}, not a web page. Download it and add it as a file.',

  'crawl.other_website': 'This page redirects to another website. Add that website as a source.',
  'crawl.forbidden':
    'The robots.txt of {site} does not allow reading this page. The owner of the website can allow it.',
})
