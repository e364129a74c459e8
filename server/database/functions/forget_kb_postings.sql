-- Deletes the postings of deleted contents. A foreign key would be checked for each of millions of rows.
CREATE OR REPLACE FUNCTION public.forget_kb_postings()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from kb_postings p using gone where p.kb_id = gone.id;
  return null;
end $function$;

CREATE TRIGGER kb_contents_deleted AFTER DELETE ON kb_contents REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_kb_postings();
