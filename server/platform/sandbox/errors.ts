import { defineErrors } from '#errors/define.ts'

export const SANDBOX_ERRORS = defineErrors({
  'sandbox.no_network':
    'This tool has no network: it may not reach {host}. Add the host to its network list.',
  'sandbox.host_refused':
    "{host} is not on the list of hosts that this tool may reach. Add it to the tool's network list.",
  'sandbox.requests': 'One call makes at most {limit} requests.',
  'sandbox.answers_too_large': 'The answers of one call are at most {megabytes} MB together.',
  'sandbox.method': "The method {method} isn't supported.",
  'sandbox.headers': 'A request has at most {limit} headers with {characters} characters together.',
  'sandbox.request_too_large': 'A request has at most {kilobytes} KB.',
  'sandbox.too_much_at_once': 'The code has too many requests and timers open at the same time.',
  'sandbox.not_understood': 'The process of the code sent a message that is not understood.',
  'sandbox.timeout': 'The code took longer than {seconds} seconds.',
  'sandbox.output': 'The code printed too much and was stopped.',
  'sandbox.memory': 'The code needs more memory than the limit.',
  'sandbox.crashed': 'The process of the code ended before it had a result.',
  'sandbox.functions_unclear': 'The functions of the code have names or parameters that are not understood.',
  'sandbox.no_methods': 'The class has no public methods.',
  'sandbox.task_too_large': 'Code, input and configuration are larger than {megabytes} MB.',
  'sandbox.no_deno': "This server can't run code: Deno is not installed for its system.",
  'sandbox.unavailable': "This server can't run code at the moment. Try again in a moment.",
  'sandbox.stopping': 'The server is stopping. Try again in a moment.',
  'sandbox.busy': 'Too many tools are running. Try again in a moment.',
  'sandbox.packages_max': 'More than {limit} packages are required.',
  'sandbox.packages_python_only':
    "{name} isn't available: packages are for Python only. Code in JavaScript or TypeScript stands alone.",
  'sandbox.requirement': '"{text}" is not a requirement. Write a name, or name==version.',
  'sandbox.standard_library': "Remove {name} from the requirements: it is part of Python's standard library.",
  'sandbox.package_unavailable':
    '{name} is not among the packages that the operator of this server has made available.',
  'sandbox.dependency_unavailable':
    '{name}, which {dependent} needs, is not among the packages that the operator of this server has made available.',
  'sandbox.package_missing':
    '{name} is listed, but its file {file} is missing. The operator of this server has to add it.',
  'sandbox.package_changed': "{name} can't be used: its file is not the one that SHA256SUMS lists.",

  'sandbox.functions_max': 'The code has no functions that can be described, or more than {limit}.',
})
