import { defineErrors } from '#errors/define.ts'

export const DATA_RIGHTS_ERRORS = defineErrors({
  'user.sign_in_again': [
    403,
    'You have no password to confirm this with: sign in again, and do it within {minutes} minutes',
  ],
  'user.owns_organizations': [
    400,
    'You are the only owner of these organizations: hand them over, or remove their other members, first: {organizations}',
  ],
  'user.last_administrator': [400, 'You are the only system administrator: there must always be one'],
  'import.damaged': [400, 'This is no export that can be imported: {reason}'],
  'import.too_large': [400, 'This export is too large to be imported. {reason}'],
  'import.incomplete': [400, 'This export is not complete. {reason}'],
  'import.invalid': [400, '{location}: {reason}'],
  'import.under_way': [409, 'Another import is under way. Try again when it has ended'],
  'import.daily_bytes': [429, 'You have sent {limit} bytes of imports within a day. Try again in {wait}.'],
  'export.under_way': [
    409,
    'You have an export under way. Wait until it ends, or cancel it, then try again.',
  ],
  'export.busy': [503, 'This server is sending {limit} exports, which is its limit. Try again in a moment.'],

  'import.no_manifest': 'It has no manifest.json: the export was cut off',
  'import.manifest_bytes': 'manifest.json has more than {limit} bytes',
  'import.line_bytes': 'A line of {file} has more than {limit} bytes',
  'import.line_cut_off': '{file} ends in the middle of a line: it was cut off',
  'import.entry_unknown': '{file} is in no export',
  'import.entry_twice': '{file} is in it twice',
  'import.entry_encrypted': '{file} is encrypted',
  'import.entry_compression': "{file} is compressed with a method that isn't supported",
  'import.unpacked_bytes': 'It unpacks to more than {limit} bytes',
  'import.unpacked_ratio': 'It unpacks to more than {limit} times its size',
  'import.checksum': '{file} has another checksum than the zip says',
  'import.unreadable': "it can't be read: {details}",
  'import.entries': 'It has more than {limit} entries',
  'import.records': 'It has more than {limit} records',
  'import.line_count': '{file} has {count} lines, and manifest.json says {said}',
  'import.of_a_person': 'it is of a person, and not of an organization',
  'import.version': 'it is of version {version}, and this server reads {known}',
  'import.no_organization': 'organization is required',
  'import.file_size': 'it has another size than files.jsonl says',
})
