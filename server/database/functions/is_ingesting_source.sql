-- Returns whether a source is due, is being read or has pending documents.
CREATE OR REPLACE FUNCTION public.is_ingesting_source(status text, documents_pending integer)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
RETURN ((status = ANY (ARRAY['pending'::text, 'reading'::text])) OR (documents_pending > 0));
