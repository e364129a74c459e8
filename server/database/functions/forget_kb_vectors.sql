-- Deletes the vectors of deleted chunks, which have no foreign key (schema/kb.ts).
CREATE OR REPLACE FUNCTION public.forget_kb_vectors()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from kb_vectors v using gone where v.kb_id = gone.kb_id and v.number = gone.number;
  return null;
end $function$;

CREATE TRIGGER kb_chunks_deleted AFTER DELETE ON kb_chunks REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_kb_vectors();
