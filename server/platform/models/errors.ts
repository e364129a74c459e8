import { defineErrors } from '#errors/define.ts'

export const MODELS_ERRORS = defineErrors({
  'model.key_refused': '{provider} refused the API key. Check the api_key of this model.',
  'model.forbidden': "{provider} does not let this API key use {model}. Check the key's permissions.",
  'model.unknown': "{provider} does not know {model} at this address. Check the model's name and base_url.",
  'model.provider_timeout': '{provider} took too long. Please try again.',
  'model.message_too_large': 'The message is too large for {model}. Shorten it, or start a new chat.',
  'model.input_too_large': 'The {input} is too large for {model}. Send a shorter one.',
  'model.rate_limited':
    '{provider} has had too many requests, or its quota is used up. Please try again later.',
  'model.provider_error':
    '{provider} has a problem of its own at the moment (status {status}). Please try again later.',
  'model.redirect': '{provider} answered with a redirect, which is not followed. Check the base_url.',
  'model.refused': '{provider} refused the request (status {status}).',
  'model.refused_because': '{provider} refused the request (status {status}): {details}',
  'model.broke_off': '{provider} failed in the middle of its reply.',
  'model.broke_off_because': '{provider} failed in the middle of its reply: {details}',
  'model.connection_broke':
    'The connection to {provider} broke in the middle of the reply. Please try again.',
  'model.name_unknown': "The address of {provider} can't be found. Check the base_url.",
  'model.connection_timeout': "{provider} can't be reached: it did not accept the connection in time.",
  'model.certificate':
    "{provider} can't be reached safely: its certificate is not valid, or it does not speak https. Check the base_url.",
  'model.unreachable': "{provider} can't be reached. Check the base_url, or try again later.",
  'model.key_unsendable':
    "The api_key for {provider} can't be sent: it contains a character that no key has.",
  'model.not_a_stream': '{provider} answered with {type} instead of a stream of events. Check the base_url.',
  'model.not_an_event': '{provider} sent an event that is not of its format. Check the base_url.',
  'model.reply_too_large': '{provider} sent more than the limit for a reply.',
  'model.reply_too_long': 'The reply exceeded the limit for a reply.',
  'model.timeout': '{provider} {what} within {seconds} seconds. Please try again.',
  'model.incomplete': '{provider} ended the reply before it was complete. Please try again.',
  'model.not_its_format': '{provider} sent an answer that is not of its format. Check the base_url.',
  'model.not_offered': '{provider} offers no {kind} models here. Choose a model of another provider.',
  'model.no_media':
    '{provider} made no {kind} of this. Its safety rules may not allow it: please word it differently.',
  'model.no_media_because':
    '{provider} made no {kind} of this ({details}). Its safety rules may not allow it: please word it differently.',
  'model.not_fetchable': "{provider} keeps its result where it can't be fetched. Please try again.",
  'model.not_media': '{provider} sent a file that is no {kind}. Please try again.',
  'model.not_embeddings': '{provider} sent no embedding of these texts. Choose another model.',
  'model.tool_input_too_large': 'The model called a tool with more input than the limit.',
  'model.too_many_tool_calls': 'The model called more tools than the limit.',
  'model.not_openai': '{provider} does not speak the OpenAI format.',
  'model.imagen': 'google draws with its Gemini models only; Imagen is shut down. Choose one of them.',
  'model.live_sound_only': '{model} takes live sound only. Choose a model that takes recordings.',
  'model.recording_type':
    "A recording of this type can't be transcribed. Send MP3, WAV, M4A, OGG, FLAC or WebM.",
  'model.blocked': '{provider} refuses to answer this ({reason}).',

  'tool.timeout': 'The tool did not answer within {seconds} seconds.',
  'tool.failed': 'The tool failed.',
  'tool.broke': 'Something went wrong in this tool.',
  'tool.unknown': 'There is no tool called {name}. There are: {tools}',
  'tool.not_json': 'The tool answered with a value that is not JSON.',

  'tool.cut_off': 'The reply ended before this tool did.',
})
