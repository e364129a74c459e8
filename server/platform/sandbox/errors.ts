import { defineErrors } from '#errors/define.ts'

export const SANDBOX_ERRORS = defineErrors({
  'sandbox.no_network':
    'This tool has no network access and cannot reach {host}. Add the host to its network list.',
  'sandbox.host_refused': "{host} is not in this tool's network list. Add it to allow requests to it.",
  'sandbox.requests': 'A call can make at most {limit} requests.',
  'sandbox.answers_too_large': 'The responses that a call receives can have at most {megabytes} MB in total.',
  'sandbox.method': 'The method {method} is not supported.',
  'sandbox.headers': 'A request can have at most {limit} headers with {characters} characters in total.',
  'sandbox.request_too_large': 'A request can have at most {kilobytes} KB.',
  'sandbox.too_much_at_once':
    'The code has too many open requests and timers. Wait for some of them before you start more.',
  'sandbox.not_understood': 'The process that runs the code sent an invalid message.',
  'sandbox.timeout': 'The code took longer than {seconds} seconds.',
  'sandbox.output': 'The code printed too much and was stopped.',
  'sandbox.memory': 'The code needs more memory than the limit.',
  'sandbox.crashed': 'The process that runs the code ended before it returned a result.',
  'sandbox.functions_unclear': 'A function of the code has a name or parameters that cannot be read.',
  'sandbox.no_methods': 'The class has no public methods.',
  'sandbox.task_too_large': 'The code, input and configuration are together larger than {megabytes} MB.',
  'sandbox.no_deno': 'This server cannot run code because Deno is not installed for its system.',
  'sandbox.unavailable': 'This server cannot run code right now. Try again in a moment.',
  'sandbox.stopping': 'The server is stopping. Try again in a moment.',
  'sandbox.busy': 'Too many tools are running. Try again in a moment.',
  'sandbox.packages_max': 'The requirements include more than {limit} packages, counting dependencies.',
  'sandbox.packages_python_only': '{name} is not available: only Python code can use packages.',
  'sandbox.requirement': '"{text}" is not a valid requirement. Write name, or name==version.',
  'sandbox.standard_library': "Remove {name} from the requirements: it is part of Python's standard library.",
  'sandbox.package_unavailable':
    '{name} is not one of the packages that the operator of this server provides.',
  'sandbox.dependency_unavailable':
    '{name}, which {dependent} requires, is not one of the packages that the operator of this server provides.',
  'sandbox.package_missing':
    '{name} is listed, but its file {file} is missing. The operator of this server must add it.',
  'sandbox.package_changed': '{name} cannot be used because its file does not match SHA256SUMS.',

  'sandbox.functions_max': 'The code has no functions that can be read, or more than {limit}.',
})
