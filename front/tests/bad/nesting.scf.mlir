func.func @f(%c: i1) {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  return
}
