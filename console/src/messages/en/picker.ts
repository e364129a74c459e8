export default {
  first: '{count, plural, one {First result} other {First # results}}',
  results: '{count, plural, one {# result} other {# results}}',
  selection: 'Selected',
} as const
